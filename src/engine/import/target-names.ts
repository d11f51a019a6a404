// What the cells of link columns name: unique values, ids in other systems, and titles, in the forms in which they are
// looked up.
import type { Json } from '../../base/json.ts';
import { fromCell } from '../../schema/csv-cell.ts';
import type { ValueFault } from '../../schema/field-type.ts';
import { boundedKey, type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { isUsable, type Property } from '../../schema/object-type.ts';
import type { ExternalName } from '../../store/records/external-ids.ts';
import type { UniqueValue } from '../../store/records/unique-values.ts';
import type { LinkColumn, LinkEnd } from './link-columns.ts';

/** What the cells of a row name: of each link column, the texts of its cell. */
export type NamedTargets = readonly (readonly string[])[];

/** The unique values by which rows name targets. */
export function uniqueValuesOf(columns: readonly LinkColumn[], rows: readonly NamedTargets[]): readonly UniqueValue[] {
  return columns.flatMap(({ use, ends }, place) => {
    if (use.by === 'id' || use.by === 'external_id' || use.by === 'title') return [];
    const texts = [...new Set(rows.flatMap((row) => row[place] ?? []))];
    return ends.flatMap((end) =>
      texts.flatMap((text) => {
        const keys = keysOf(end, text);
        return 'reason' in keys ? [] : keys.map((key) => ({ ...key, typeId: end.type.id }));
      }),
    );
  });
}

/** The external ids by which rows name targets. */
export function externalNamesOf(
  columns: readonly LinkColumn[],
  rows: readonly NamedTargets[],
): readonly ExternalName[] {
  return columns.flatMap((column, place) => {
    if (column.use.by !== 'external_id') return [];
    const texts = [...new Set(rows.flatMap((row) => row[place] ?? []))];
    return column.ends.flatMap((end) => texts.map((text) => externalName(column, end, text)));
  });
}

export function externalName(
  { use: { source = '' } }: LinkColumn,
  { type }: LinkEnd,
  externalId: string,
): ExternalName {
  return { typeId: type.id, source, externalId };
}

/** The keys of a unique value, or why the text is none. */
export function keysOf(end: LinkEnd, text: string): readonly UniqueKey[] | ValueFault {
  const { type, property } = end;
  if (property === undefined) return [];
  const value = targetValue(property, text);
  const fault = property.fieldType.check(value, property.options);
  return fault ?? uniqueKeys(type, { [property.key]: property.multiValued ? [value] : value });
}

/** The value that a cell says, in the form in which records have it. */
function targetValue(property: Property, text: string): Json {
  const reading = fromCell({ ...property, multiValued: false }, text, undefined);
  return 'fault' in reading ? text : reading.value;
}

export function titleKey({ type }: LinkEnd, within: string | undefined, title: string): string {
  return JSON.stringify([type.id, within === undefined ? null : fold(within), fold(title)]);
}

/** The titles as the index of the property has them; undefined if it has none that is ready. */
export function indexedTitles(
  { index, fieldType }: Property,
  titles: readonly string[],
): readonly string[] | undefined {
  const { index: own } = fieldType;
  if (!isUsable(index) || own?.kind !== 'text') return undefined;
  return titles.map((title) => boundedKey(own.key(title)));
}

export function fold(text: string): string {
  return text.toLowerCase();
}

/** The values of a record that is created from the text. */
export function valuesOfNew(property: Property, text: string): Readonly<Record<string, Json>> {
  const value = targetValue(property, text);
  return { [property.name]: property.multiValued ? [value] : value };
}
