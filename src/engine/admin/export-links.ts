// The links that an export shows with its records: those that begin at them, by association type. They are read for a page of
// records at a time. Records with very many links take several reads, and are passed on as soon as theirs are complete.
import { firstId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { OwnConnection } from '../../store/database.ts';
import { findOutgoingLinks, type OutgoingLink } from '../../store/export/links.ts';
import type { RecordText } from '../../store/records/records.ts';

/** An association type whose links begin at the exported type. */
export interface OutgoingType {
  readonly id: number;
  readonly name: string;
}

export interface ExportedRecord extends RecordText {
  /** The ids of its targets, by the numbers of association types. */
  readonly targets: ReadonlyMap<number, readonly string[]>;
}

const noTargets: ExportedRecord['targets'] = new Map();

/** In the order of the catalog, each once. Whether a record is shared with its org is not the link of anybody. */
export function outgoingTypes({ pairs }: Catalog, type: ObjectType): readonly OutgoingType[] {
  const outgoing = pairs.filter(({ id, sourceType }) => sourceType === type.name && id !== visibilityTypes.org);
  return [...new Map(outgoing.map(({ id, name }) => [id, { id, name }])).values()];
}

export function withoutLinks(page: readonly RecordText[]): readonly ExportedRecord[] {
  return page.map((record) => ({ ...record, targets: noTargets }));
}

/** The page in parts, each with complete records. */
export async function* withLinks(
  connection: OwnConnection,
  orgId: number,
  { id: typeId }: ObjectType,
  outgoing: readonly OutgoingType[],
  page: readonly RecordText[],
): AsyncGenerator<readonly ExportedRecord[]> {
  const associationTypeIds = outgoing.map(({ id }) => id);
  let waiting = page;
  let found: OutgoingLink[] = [];
  let after: OutgoingLink = { sourceId: firstId, associationTypeId: 0, targetId: firstId };
  // Ends, because each read begins after the last link of the one before.
  for (;;) {
    const recordIds = waiting.map(({ id }) => id);
    const links = await findOutgoingLinks(connection, orgId, { typeId, recordIds, associationTypeIds }, after);
    found.push(...links);
    const last = links.at(-1);
    if (last === undefined || links.length < bounds.engine.exportedLinksAtOnce) break;
    // The last record may have more.
    const complete = waiting.findIndex(({ id }) => id === last.sourceId);
    yield attach(waiting.slice(0, complete), found);
    waiting = waiting.slice(complete);
    found = found.filter(({ sourceId }) => sourceId === last.sourceId);
    after = last;
  }
  yield attach(waiting, found);
}

function attach(records: readonly RecordText[], links: readonly OutgoingLink[]): readonly ExportedRecord[] {
  const bySource = new Map<string, Map<number, string[]>>();
  for (const { sourceId, associationTypeId, targetId } of links) {
    const targets = bySource.get(sourceId) ?? new Map<number, string[]>();
    bySource.set(sourceId, targets);
    const known = targets.get(associationTypeId);
    if (known === undefined) targets.set(associationTypeId, [targetId]);
    else known.push(targetId);
  }
  return records.map((record) => ({ ...record, targets: bySource.get(record.id) ?? noTargets }));
}
