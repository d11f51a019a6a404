// Which property has which slot, and the values in them. Built-in properties take the first slots and custom ones the last
// that are free, each in the order of their numbers. What an org's own properties were given is kept with its schema: a
// property never changes its slot, whatever comes and goes beside it, and a new one finds an empty one, because no record had
// a value for it before.
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

/** The columns that were given to an org's own properties and links before, by their numbers; none if they were full. */
export interface GivenSlots {
  readonly properties: ReadonlyMap<number, readonly FactColumn[]>;
  readonly links: ReadonlyMap<number, readonly LinkColumn[]>;
}

const noGivenSlots: GivenSlots = { properties: new Map(), links: new Map() };

export function assignSlots(
  properties: Iterable<Property>,
  outgoing: readonly AssociationPair[],
  given: GivenSlots = noGivenSlots,
): TypeSlots {
  const taken = new Set([...given.properties.values()].flat());
  const free = Object.fromEntries(
    Object.entries(factColumns).map(([kind, columns]) => [kind, columns.filter((column) => !taken.has(column))]),
  ) as unknown as Record<FactKind, FactColumn[]>;
  const slots = new Map<number, SlottedProperty>();
  for (const property of inOrder([...properties].filter(takesSlot))) {
    const { id, key, fieldType } = property;
    const kind = kindOf(fieldType);
    if (kind === undefined) continue;
    const hasUnit = fieldType.comparison === 'money';
    const [column, unit] = given.properties.get(id) ?? takeColumns(free, hasUnit ? [kind, 'text'] : [kind], property);
    if (column !== undefined) slots.set(id, { key, kind, column, ...(unit === undefined ? {} : { unit }) });
  }
  const columns = [...slots.values()].flatMap(({ column, unit }) => (unit === undefined ? [column] : [column, unit]));
  return { columns, properties: slots, links: assignLinks(outgoing, given.links) };
}

/** A column of each kind, or none at all. */
function takeColumns(
  free: Record<FactKind, FactColumn[]>,
  kinds: readonly FactKind[],
  { custom }: Property,
): readonly FactColumn[] {
  if (kinds.some((kind) => free[kind].length === 0)) return [];
  return kinds.flatMap((kind) => (custom ? free[kind].pop() : free[kind].shift()) ?? []);
}

/** What changes with every version is not kept, and what is computed is not stored. */
function takesSlot({ name, multiValued, computed, fieldType }: Property): boolean {
  return !multiValued && computed === undefined && name !== 'svc_updated_at' && isSlotted(fieldType);
}

/** Whether single values of the field type can have a slot. */
export function isSlotted(fieldType: FieldType): boolean {
  return kindOf(fieldType) !== undefined;
}

/** Texts of few forms, numbers and times: what people group by and add up. */
function kindOf({ comparison, sortedByOptions, shape, index }: FieldType): FactKind | undefined {
  if (comparison === 'number' || comparison === 'money') return 'number';
  if (comparison === 'moment') return 'moment';
  if (sortedByOptions === true || shape['type'] === 'boolean') return 'text';
  return comparison === 'plain' && index?.kind === 'time' ? 'day' : undefined;
}

function assignLinks(
  outgoing: readonly AssociationPair[],
  given: GivenSlots['links'],
): ReadonlyMap<number, LinkColumn> {
  const toOne = new Map(
    outgoing.filter(({ cardinality }) => cardinality === 'many_to_one').map((pair) => [pair.id, pair]),
  );
  const taken = new Set([...given.values()].flat());
  const free = linkColumns.filter((column) => !taken.has(column));
  const links = new Map<number, LinkColumn>();
  for (const { id } of inOrder([...toOne.values()])) {
    const known = given.get(id);
    const column = known === undefined ? (id >= firstCustomId ? free.pop() : free.shift()) : known[0];
    if (column !== undefined) links.set(id, column);
  }
  return links;
}

function inOrder<Numbered extends { readonly id: number }>(all: readonly Numbered[]): readonly Numbered[] {
  return all.toSorted((left, right) => left.id - right.id);
}

export function factValues({ properties: slots }: TypeSlots, values: RecordValues): FactValues {
  const facts: Partial<Record<FactColumn, string>> = {};
  for (const { key, column, unit } of slots.values()) {
    const value: Json | undefined = Object.hasOwn(values, key) ? values[key] : undefined;
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
