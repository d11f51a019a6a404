// Makes a filter on which service and model differ smaller, for as long as they still differ on it.
import type { AssociationCondition, Filter, PropertyCondition } from './model.ts';

const mostTries = 400;
const mostMilliseconds = 20_000;

export async function smallest(filter: Filter, differs: (filter: Filter) => Promise<boolean>): Promise<Filter> {
  const endsAt = performance.now() + mostMilliseconds;
  let small = filter;
  let tries = 0;
  for (;;) {
    let next: Filter | undefined;
    for (const candidate of smaller(small)) {
      if (++tries > mostTries || performance.now() > endsAt) return small;
      if (await differs(candidate)) next = candidate;
      if (next !== undefined) break;
    }
    if (next === undefined) return small;
    small = next;
  }
}

/** Filters of the same type with one part less. Parts behind an association speak of another type, and stay there. */
function smaller(filter: Filter): readonly Filter[] {
  if ('and' in filter) return ofList(filter.and, (and) => ({ and }));
  if ('or' in filter) return ofList(filter.or, (or) => ({ or }));
  if ('not' in filter) return [filter.not, ...smaller(filter.not).map((not) => ({ not }))];
  return 'association' in filter ? ofAssociation(filter) : ofProperty(filter);
}

function ofList(parts: readonly Filter[], wrap: (parts: readonly Filter[]) => Filter): readonly Filter[] {
  const fewer = parts.length < 2 ? [] : parts.map((_, place) => wrap(parts.filter((__, index) => index !== place)));
  const less = parts.flatMap((part, place) => smaller(part).map((each) => wrap(parts.with(place, each))));
  return [...parts, ...fewer, ...less];
}

function ofAssociation({ filter, target_id, ...rest }: AssociationCondition): readonly Filter[] {
  const target = target_id === undefined ? {} : { target_id };
  const inner = filter === undefined ? [] : smaller(filter);
  return [
    ...(filter === undefined ? [] : [{ ...rest, ...target }]),
    ...(target_id === undefined || filter === undefined ? [] : [{ ...rest, filter }]),
    ...(target_id === undefined ? [] : [rest]),
    ...inner.map((each) => ({ ...rest, ...target, filter: each })),
  ];
}

function ofProperty(condition: PropertyCondition): readonly Filter[] {
  const { operator, value } = condition;
  if (!['in', 'not_in'].includes(operator) || !Array.isArray(value) || value.length < 2) return [];
  const middle = Math.ceil(value.length / 2);
  return [value.slice(0, middle), value.slice(middle)].map((part) => ({ ...condition, value: part }));
}
