// What stands in the way of an import, apart from how its cells are written.
import type { LinkUse } from '../../../../client/import/column-use.ts';
import { quoted } from '../../../../client/import/described.ts';
import { reasonsHeader } from '../../../../client/import/guess-columns.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import type { PlanFault, PlannedColumn } from '../messages.ts';
import type { ImportLink, ImportSchema } from './described-schema.ts';

export function planFaults(
  schema: ImportSchema,
  columns: readonly PlannedColumn[],
  match: string | undefined,
): readonly PlanFault[] {
  const faults: PlanFault[] = [
    ...columns.flatMap((column, index) =>
      columnFaults(schema, columns, column).map((detail) => ({ column: index, detail })),
    ),
    ...twiceUsed(schema, columns),
  ];
  const matched = matchFault(schema, columns, match);
  if (matched !== undefined) faults.push({ detail: matched });
  const isUseless = columns.every(({ use, header }) => use.kind === 'ignored' || header === reasonsHeader);
  return isUseless ? [...faults, { detail: runTexts.nothingUsed(schema.type.label) }] : faults;
}

function columnFaults(
  { properties, links, lookedUp }: ImportSchema,
  columns: readonly PlannedColumn[],
  { header, use }: PlannedColumn,
): readonly string[] {
  if (use.kind === 'link') {
    const link = links.get(use.association);
    const fault = link === undefined ? runTexts.noLink(header) : linkFault(link, use, header, lookedUp);
    return fault === undefined ? [] : [fault];
  }
  if (use.kind === 'external_id') return use.source === '' ? [runTexts.noSource(header)] : [];
  if (use.kind !== 'property' && use.kind !== 'unit') return [];
  const property = properties.get(use.property);
  if (property === undefined || property.read_only) return [runTexts.notWritable(header, use.property)];
  if (use.kind === 'property') return [];
  if (property.field_type !== 'currency') return [runTexts.noAmount(header, property.label)];
  const hasAmounts = columns.some((other) => other.use.kind === 'property' && other.use.property === use.property);
  return hasAmounts ? [] : [runTexts.loneUnit(header, property.label)];
}

function linkFault(
  { targets }: ImportLink,
  { by, missing, source }: LinkUse,
  header: string,
  lookedUp: ReadonlySet<string>,
): string | undefined {
  if (by === 'external_id' && (source === undefined || source === '')) return runTexts.noSource(header);
  const keys = targets.map((target) => namingProperty(target, by));
  if (by !== 'id' && by !== 'external_id') {
    const isFound = keys.some((key) => key !== undefined && lookedUp.has(key.field_type));
    if (!isFound) return runTexts.notFoundBy(header, namingLabel(targets, by));
  }
  if (missing !== 'create') return undefined;
  const [target, other] = targets;
  const property = keys[0];
  const isEnough =
    target?.writable_operations.includes('create') === true &&
    property !== undefined &&
    !property.read_only &&
    target.properties.every(({ required, name }) => !required || name === property.name);
  return other === undefined && isEnough ? undefined : runTexts.notCreatable(header);
}

/** The property by which records of the type are named; undefined if they cannot be. */
export function namingProperty(target: ImportLink['targets'][number], by: string) {
  const name = by === 'title' ? target.title_property : by;
  const property = target.properties.find((each) => each.name === name);
  return by === 'title' || property?.unique === true ? property : undefined;
}

/** The same for people: the label of the property, where there is one. */
export function namingLabel(targets: ImportLink['targets'], by: string): string {
  if (by === 'id') return runTexts.byId;
  if (by === 'external_id') return runTexts.byExternalId;
  const [label] = targets.flatMap((target) => namingProperty(target, by)?.label ?? []);
  return label?.toLowerCase() ?? by;
}

/** A property that takes one value has one column, and its currency another. */
function twiceUsed({ properties }: ImportSchema, columns: readonly PlannedColumn[]) {
  const first = new Map<string, string>();
  return columns.flatMap(({ header, use }, column) => {
    const property = use.kind === 'property' || use.kind === 'unit' ? properties.get(use.property) : undefined;
    if (use.kind === 'ignored' || use.kind === 'link' || (use.kind === 'property' && property?.multi_valued === true)) {
      return [];
    }
    const what = `${use.kind} ${property?.name ?? ''}`;
    const before = first.get(what);
    first.set(what, before ?? header);
    if (before === undefined) return [];
    const name = use.kind === 'external_id' ? runTexts.externalId : (property?.label ?? '');
    return [{ column, detail: runTexts.twice(quoted(before), quoted(header), name) }];
  });
}

function matchFault(
  { properties, canUpdate, type }: ImportSchema,
  columns: readonly PlannedColumn[],
  match: string | undefined,
): string | undefined {
  if (match === undefined) return undefined;
  if (!canUpdate) return runTexts.noUpdate(type.plural_label);
  if (match === 'external_id') {
    return columns.some(({ use }) => use.kind === 'external_id') ? undefined : runTexts.noIds;
  }
  const property = properties.get(match);
  if (property?.unique !== true) return runTexts.notUnique(property?.label ?? match);
  const isThere = columns.some(({ use }) => use.kind === 'property' && use.property === match);
  return isThere ? undefined : runTexts.noMatch(property.label);
}
