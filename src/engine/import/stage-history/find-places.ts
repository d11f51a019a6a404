// Finds the record and the stage that each row of a file of stage history means. A name may fit records of several types: it is
// the record that can be in a stage which the row names.
import { type Fault, type Problem, problemOf } from '../../../base/problem.ts';
import type { AssociationPair } from '../../../schema/association-type.ts';
import type { Unit } from '../../unit/unit.ts';
import { ambiguous, LinkTargets, missing, pointerOf, type Target, takesOne } from '../link-targets.ts';
import type { ImportedItem } from '../read-row.ts';
import { anyStage, type HistoryColumn } from './columns.ts';

/** A record and one of its stages. */
export interface HistoryPlace {
  readonly record: Target;
  readonly stage: Target;
  /** By which the record is in its stages. */
  readonly pair: AssociationPair;
}
type Places = ReadonlyMap<ImportedItem, HistoryPlace | Problem>;

export async function findPlaces(
  unit: Unit,
  columns: readonly HistoryColumn[],
  items: readonly ImportedItem[],
): Promise<Places> {
  const targets = new LinkTargets(unit, columns);
  await targets.load(items.map((item) => item.targets));
  const places = new Map<ImportedItem, HistoryPlace | Problem>();
  for (const item of items) places.set(item, await findPlace(unit, columns, item, targets));
  return places;
}

/** What the cells of one side name. */
interface Named {
  readonly column: HistoryColumn;
  readonly text: string;
  readonly found: readonly Target[];
}

async function findPlace(
  unit: Unit,
  columns: readonly HistoryColumn[],
  item: ImportedItem,
  targets: LinkTargets,
): Promise<HistoryPlace | Problem> {
  const [record, stage] = [
    await namedBy(columns, 'record', item, targets),
    await namedBy(columns, 'stage', item, targets),
  ];
  if ('reason' in record || 'reason' in stage) {
    return problemOf(
      'validation_failed',
      [record, stage].flatMap((side) => ('reason' in side ? [side] : [])),
    );
  }
  const places = record.found.flatMap((each) => stage.found.flatMap((to) => placesOf(unit, stage.column, each, to)));
  const [place, other] = places;
  if (place !== undefined && other === undefined) return place;
  const fault = place === undefined ? apart(record, stage) : severalPlaces(record, stage, places);
  return problemOf('validation_failed', [fault]);
}

/** Of the columns of a side, exactly one cell of a row names something. */
async function namedBy(
  columns: readonly HistoryColumn[],
  side: HistoryColumn['side'],
  { targets: cells }: ImportedItem,
  targets: LinkTargets,
): Promise<Named | Fault> {
  const named = columns.flatMap((column, place) =>
    column.side === side ? (cells[place] ?? []).map((text) => ({ column, text })) : [],
  );
  const [first, second] = named;
  if (first === undefined) {
    const header = columns.find((column) => column.side === side)?.header ?? '';
    const detail = `A row needs the ${side} of the stage timer.`;
    return { pointer: `/properties/${header}`, reason: 'required_missing', detail };
  }
  const { column, text } = first;
  const texts = named.map((each) => each.text);
  if (second !== undefined) return takesOne(column, texts);
  const found = await targets.targetsOf(column, text);
  if ('reason' in found) return { pointer: pointerOf(column), reason: found.reason, detail: found.detail };
  return found.length === 0 ? missing(column, text) : { ...first, found };
}

/** The places of a record in a stage: none if its type has no such stages. */
function placesOf({ call }: Unit, { admits }: HistoryColumn, record: Target, stage: Target): readonly HistoryPlace[] {
  const { stages } = call.session.orgCatalog.stageRoles(record.end.type.name);
  return stages
    .filter((pair) => pair.targetType === stage.end.type.name && admits(pair))
    .map((pair) => ({ record, stage, pair }));
}

function apart(record: Named, stage: Named): Fault {
  const [of, to] = [record, stage].map(({ found }) =>
    [...new Set(found.map(({ end }) => end.type.label))].join(' or '),
  );
  const { association } = stage.column.use;
  const by = association === anyStage ? '' : ` by ${association}`;
  return { pointer: pointerOf(stage.column), reason: 'target_unknown', detail: `${to} is not a stage of ${of}${by}.` };
}

/** Two records or stages of one name, or two association types by which the record may have been in the stage. */
function severalPlaces(record: Named, stage: Named, places: readonly HistoryPlace[]): Fault {
  for (const [side, { column, text }] of [
    ['record', record],
    ['stage', stage],
  ] as const) {
    const targets = [...new Map(places.map((place) => [place[side].id, place[side]])).values()];
    if (targets.length > 1) return ambiguous(column, text, targets);
  }
  const names = places.map(({ pair }) => pair.name);
  const detail = `The record may have been in the stage by ${names.join(' or ')}: name one in the map, {"association": "${names[0] ?? ''}"}.`;
  return { pointer: pointerOf(stage.column), reason: 'multiple_matches', detail };
}
