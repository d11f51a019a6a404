// Which property has which slot, and the values in them. Built-in properties take the first slots and custom ones the last,
// each in the order of their numbers: a property never changes its slot, and a new one finds an empty one, because no record
// had a value for it before.
import type { Json } from '../../base/json.ts';
import type { AssociationPair } from '../association-type.ts';
import type { FieldType } from '../field-type.ts';
import { firstCustomId, type Property } from '../object-type.ts';
import {
  type FactColumn,
  type FactKind,
  type FactValues,
  factColumns,
  type LinkColumn,
  linkColumns,
  type SlottedProperty,
  type TypeSlots,
} from '../slots.ts';
import type { RecordValues } from './record-values.ts';

export function assignSlots(properties: Iterable<Property>, outgoing: readonly AssociationPair[]): TypeSlots {
  const free = Object.fromEntries(
    Object.entries(factColumns).map(([kind, columns]) => [kind, [...columns]]),
  ) as unknown as Record<FactKind, FactColumn[]>;
  const slots = new Map<number, SlottedProperty>();
  for (const { id, name, fieldType, custom } of inOrder([...properties].filter(isKept))) {
    const take = (kind: FactKind) => (custom ? free[kind].pop() : free[kind].shift());
    const kind = kindOf(fieldType);
    const hasUnit = fieldType.comparison === 'money';
    if (kind === undefined || free[kind].length === 0 || (hasUnit && free.text.length === 0)) continue;
    const column = take(kind);
    const unit = hasUnit ? take('text') : undefined;
    if (column !== undefined) slots.set(id, { name, kind, column, ...(unit === undefined ? {} : { unit }) });
  }
  const columns = [...slots.values()].flatMap(({ column, unit }) => (unit === undefined ? [column] : [column, unit]));
  return { columns, properties: slots, links: assignLinks(outgoing) };
}

/** What changes with every version is not kept, and what is computed is not stored. */
function isKept({ name, multiValued, computed }: Property): boolean {
  return !multiValued && computed === undefined && name !== 'svc_updated_at';
}

/** Texts of few forms, numbers and times: what people group by and add up. */
function kindOf({ comparison, sortedByOptions, shape, index }: FieldType): FactKind | undefined {
  if (comparison === 'number' || comparison === 'money') return 'number';
  if (comparison === 'moment') return 'moment';
  if (sortedByOptions === true || shape['type'] === 'boolean') return 'text';
  return comparison === 'plain' && index?.kind === 'time' ? 'day' : undefined;
}

function assignLinks(outgoing: readonly AssociationPair[]): ReadonlyMap<number, LinkColumn> {
  const toOne = new Map(
    outgoing.filter(({ cardinality }) => cardinality === 'many_to_one').map((pair) => [pair.id, pair]),
  );
  const free = [...linkColumns];
  const links = new Map<number, LinkColumn>();
  for (const { id } of inOrder([...toOne.values()])) {
    const column = id >= firstCustomId ? free.pop() : free.shift();
    if (column !== undefined) links.set(id, column);
  }
  return links;
}

function inOrder<Numbered extends { readonly id: number }>(all: readonly Numbered[]): readonly Numbered[] {
  return all.toSorted((left, right) => left.id - right.id);
}

export function factValues({ properties: slots }: TypeSlots, values: RecordValues): FactValues {
  const facts: Partial<Record<FactColumn, string>> = {};
  for (const { name, column, unit } of slots.values()) {
    const value: Json | undefined = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === null) continue;
    if (unit === undefined) facts[column] = String(value as string | boolean);
    else {
      const amount = value as { readonly amount: string; readonly unit: string };
      facts[column] = amount.amount;
      facts[unit] = amount.unit;
    }
  }
  return facts;
}
