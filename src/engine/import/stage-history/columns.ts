// The columns of a file of stage history: the record, its stage, and the times at which it entered and left it. A timer leads to
// both by association types of its own, by which the map names them; the stages can be named by the association type that leads
// to them from the records as well.

import { shorten } from '../../../../client/import/described.ts';
import { Failure } from '../../../base/failure.ts';
import { nearest } from '../../../base/nearest.ts';
import type { AssociationPair } from '../../../schema/association-type.ts';
import { stageTimerType, timedByIds, timedInIds, timerLinksOf } from '../../../schema/builtin/association-types.ts';
import type { Catalog } from '../../../schema/catalog.ts';
import type { ObjectType } from '../../../schema/object-type.ts';
import type { LinkUse, PlannedColumn } from '../column-use.ts';
import { type LinkColumn, linkColumns, requireNaming } from '../link-columns.ts';

export const timerTypeName = 'svc_stage_timer';

/** The association types that stand for any record with stages, and for any stage. */
export const anyRecord = 'svc_stage_timer_to_record';
export const anyStage = 'svc_stage_timer_to_stage';

/** Whether records of the type are stage timers, which an import brings in as history. */
export function isHistoryType({ id }: Pick<ObjectType, 'id'>): boolean {
  return id === stageTimerType;
}

/** The type as a file has it: the times are given, and only the last one of a record may lack its end. */
export function historyType(type: ObjectType): ObjectType {
  const properties = new Map(type.properties);
  for (const { name, required } of givenTimes) {
    const property = properties.get(name);
    if (property !== undefined) properties.set(name, { ...property, readOnly: false, required });
  }
  return type.with({ properties });
}

const givenTimes = [
  { name: 'svc_entered_at', required: true },
  { name: 'svc_left_at', required: false },
] as const;

export interface HistoryColumn extends LinkColumn {
  readonly side: Side;
  /** Whether records may have been in the stages by this association type. */
  readonly admits: (stage: AssociationPair) => boolean;
}

type Side = 'record' | 'stage';

interface Meaning {
  readonly side: Side;
  readonly pairs: readonly AssociationPair[];
  readonly admits: HistoryColumn['admits'];
}

/** What an association type means in a file of stage history; undefined if nothing. */
function meaningOf(catalog: Catalog, name: string): Meaning | undefined {
  const ofTimers = catalog.pairs.filter(({ sourceType }) => sourceType === timerTypeName);
  const among = (ids: readonly number[]) => ofTimers.filter(({ id }) => ids.includes(id));
  if (name === anyRecord) return { side: 'record', pairs: oncePerTarget(among(timedByIds)), admits: () => true };
  if (name === anyStage) return { side: 'stage', pairs: oncePerTarget(among(timedInIds)), admits: () => true };
  const own = ofTimers.filter((pair) => pair.name === name);
  const [first] = own;
  if (first !== undefined && timedByIds.includes(first.id)) return { side: 'record', pairs: own, admits: () => true };
  if (first !== undefined && timedInIds.includes(first.id)) {
    return { side: 'stage', pairs: own, admits: ({ id }) => timerLinksOf(id).stage === first.id };
  }
  const stages = catalog.pairs.filter((pair) => pair.stage && pair.name === name);
  if (stages.length === 0) return undefined;
  return { side: 'stage', pairs: oncePerTarget(stages), admits: (pair) => pair.name === name };
}

function oncePerTarget(pairs: readonly AssociationPair[]): readonly AssociationPair[] {
  return [...new Map(pairs.map((pair) => [pair.targetType, pair])).values()];
}

export function historyColumns(catalog: Catalog, columns: readonly PlannedColumn[]): readonly HistoryColumn[] {
  const pairsOf = ({ association }: LinkUse) => meaningOf(catalog, association)?.pairs ?? [];
  return linkColumns(catalog, columns, pairsOf).flatMap((column) => {
    const meaning = meaningOf(catalog, column.use.association);
    return meaning === undefined ? [] : [{ ...column, side: meaning.side, admits: meaning.admits, takesOne: true }];
  });
}

/** Checks what a person has said of a column. */
export function requireHistoryUse(catalog: Catalog, header: string, use: LinkUse): LinkUse {
  const meaning = meaningOf(catalog, use.association);
  if (meaning === undefined) {
    const names = namesOf(catalog);
    const near = nearest(use.association, names);
    const sentence = `The map links stage timers by the column ${quoted(header)} with ${quoted(use.association)}, which leads neither to their record nor to a stage.`;
    const fix = near === undefined ? `Use one of ${names.slice(0, 20).join(', ')}.` : `Did you mean "${near}"?`;
    throw new Failure('usage', sentence, fix);
  }
  if (use.missing !== 'refuse') {
    const sentence = `The map says "missing": "${use.missing}" for the column ${quoted(header)}, but a stage timer needs its record and its stage.`;
    throw new Failure('usage', sentence, 'Leave out "missing": rows without them are refused.');
  }
  requireNaming(catalog, header, use, meaning.pairs);
  return use;
}

function namesOf({ pairs }: Catalog): readonly string[] {
  const known = [...timedByIds, ...timedInIds];
  const ofTimers = pairs.filter(({ sourceType, id }) => sourceType === timerTypeName && known.includes(id));
  const stages = pairs.filter(({ stage }) => stage);
  return [...new Set([...ofTimers, ...stages].map(({ name }) => name))];
}

export function sideOf(catalog: Catalog, { association }: LinkUse): Side | undefined {
  return meaningOf(catalog, association)?.side;
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
