// A condition as a chip shows it: the name of what it is about, how, and with which value, through links to other records.
import { searchedType, useTitles } from '../../data/other-end.ts';
import { type TypeDetail, useMaybeType } from '../../data/schema.ts';
import type { Condition, LinkedCondition } from '../../data/view.ts';
import { listText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { nameOf, propertyWords } from './condition-text.ts';

export function ConditionWords({ type, condition }: { readonly type: TypeDetail; readonly condition: Condition }) {
  if ('or' in condition) {
    return condition.or.map((each, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a condition is known by its place.
      <span key={index}>
        {index > 0 && ` ${texts.or} `}
        <ConditionWords type={type} condition={each} />
      </span>
    ));
  }
  if ('association' in condition) return <LinkedWords type={type} condition={condition} />;
  const compared = 'not' in condition ? condition.not : condition;
  const { words, value } = propertyWords(type, compared);
  return (
    <Words name={nameOf(type, compared)} words={'not' in condition ? texts.notThat(words) : words} value={value} />
  );
}

function Words({ name, words, value }: { readonly name: string; readonly words: string; readonly value: string }) {
  return (
    <>
      <span>{`${name} ${words}`}</span> {value !== '' && <b>{value}</b>}
    </>
  );
}

/** Records that are named by a condition; those that it describes have a condition of their own. */
function LinkedWords({ type, condition }: { readonly type: TypeDetail; readonly condition: LinkedCondition }) {
  const { operator, filter } = condition;
  const ids = idsOf(condition);
  const titles = useTargets(type, condition, ids);
  const ends = type.links.filter(({ name }) => name === condition.association);
  const other = useMaybeType(ends[0] === undefined ? undefined : searchedType(ends[0]));
  const name = nameOf(type, condition);
  const isThere = operator === 'exists';
  if (ids.length > 0) {
    const [one, many] = isThere ? (['eq', 'in'] as const) : (['neq', 'not_in'] as const);
    const words = texts.operators[ids.length === 1 ? one : many];
    return <Words name={name} words={words} value={listText(ids.map((id) => titles.get(id) ?? '…'))} />;
  }
  if (filter === undefined) {
    return <Words name={name} words={texts.operators[isThere ? 'is_set' : 'is_not_set']} value="" />;
  }
  return (
    <>
      <Words name={name} words={texts.linkedWhere[operator]} value="" />
      {other !== undefined && <ConditionWords type={other} condition={filter} />}
    </>
  );
}

function idsOf({ target_id: target, filter }: LinkedCondition): readonly string[] {
  if (target !== undefined) return [target];
  if (filter === undefined || !('property' in filter) || filter.property !== 'id') return [];
  const values: readonly unknown[] = Array.isArray(filter.value) ? filter.value : [filter.value];
  return values.filter((value): value is string => typeof value === 'string');
}

/** The titles of the records that the condition names, at whichever end they are. */
function useTargets(type: TypeDetail, condition: LinkedCondition, ids: readonly string[]): ReadonlyMap<string, string> {
  const ends = type.links.filter((link) => link.name === condition.association);
  const [one, other] = [...new Set(ends.map(searchedType))];
  const [first, second] = [useTitles(useMaybeType(one), ids), useTitles(useMaybeType(other), ids)];
  return new Map([...second, ...first]);
}
