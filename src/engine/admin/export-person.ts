// Exports everything that is known of a person, as of one moment: the record, live or in the trash, its external ids, owners,
// links and timers, the duplicates that were merged into it, and the entries of the feed about all of them. It is read in
// pages; the caller writes them.

import { shorten } from '../../../client/import/described.ts';
import { narrow } from '../../access/narrow.ts';
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { firstId, isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Database, OwnConnection } from '../../store/database.ts';
import { beginSnapshot } from '../../store/driver/own-connection.ts';
import { findEntriesAbout } from '../../store/export/entries-about.ts';
import {
  findKnown,
  findKnownLinks,
  findOwners,
  findTimedStages,
  type KnownLink,
  type KnownRecord,
  type LinkWay,
} from '../../store/export/subject.ts';
import type { EntryRow } from '../../store/feed/pages.ts';
import { type ExternalName, findExternalIdsOf } from '../../store/records/external-ids.ts';
import { findDuplicates } from '../../store/records/merge-links.ts';
import { locateRecord } from '../../store/records/trash.ts';
import { type CommandEngine, systemCall } from '../process/call.ts';
import { openDirectory } from '../process/directory.ts';
import type { Session } from '../process/session.ts';
import { shownProperties } from '../read/records.ts';
import { requireOrg } from './orgs.ts';

/** A link with the record at its other end, if that is not gone. */
export interface LinkedEnd extends KnownLink {
  readonly type: ObjectType | undefined;
  readonly record: KnownRecord | undefined;
}

/** A timer of the record, and the stage that it is about, if that is not gone. */
export interface KnownTimer extends LinkedEnd {
  readonly stage?: { readonly type: ObjectType | undefined; readonly id: string; readonly title: string | null };
}

/** The person, or a duplicate that was merged into it. */
export interface Subject {
  readonly type: ObjectType;
  readonly id: string;
  /** Undefined for a duplicate that is gone from the trash. */
  record(): Promise<KnownRecord | undefined>;
  externalIds(): Promise<readonly Pick<ExternalName, 'source' | 'externalId'>[]>;
  owners(): ReturnType<typeof findOwners>;
  links(way: Exclude<LinkWay, 'timers'>): AsyncIterable<readonly LinkedEnd[]>;
  timers(): AsyncIterable<readonly KnownTimer[]>;
}

export interface ExportedPerson {
  /** Names everything that the feed has as numbers. */
  readonly session: Session;
  readonly person: Subject;
  readonly duplicates: readonly Subject[];
  entries(): AsyncIterable<readonly EntryRow[]>;
}

/** `write` can read only until it resolves. */
export async function exportPerson(
  engine: CommandEngine,
  clock: Clock,
  { orgId, id }: { readonly orgId: number; readonly id: string },
  write: (person: ExportedPerson) => Promise<void>,
): Promise<void> {
  const database: Pick<Database, 'connect'> = engine.database;
  const connection = await database.connect();
  try {
    await beginSnapshot(connection);
    await requireOrg(connection, orgId);
    const session = await wholeSession(engine, connection, clock, orgId);
    const type = await requirePerson(connection, session, orgId, id);
    const subjectOf = (each: string) => openSubject(connection, session, type, each);
    const duplicates = await findDuplicates(connection, orgId, id);
    await write({
      session,
      person: subjectOf(id),
      duplicates: duplicates.map(subjectOf),
      entries: () => entriesAbout(connection, orgId, [id, ...duplicates]),
    });
  } finally {
    await connection.close();
  }
}

/** A session that sees everything but what was deleted from the schema, at the moment of the export. */
async function wholeSession(
  engine: CommandEngine,
  connection: OwnConnection,
  clock: Clock,
  orgId: number,
): Promise<Session> {
  const known = await openDirectory(connection, clock).find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} no longer exists.`);
  const { session } = systemCall(engine, known);
  return { ...session, catalog: narrow(known.catalog, session.caller.grants) };
}

async function requirePerson(
  connection: OwnConnection,
  { orgTypes, catalog }: Session,
  orgId: number,
  id: string,
): Promise<ObjectType> {
  const found = isId(id) ? await locateRecord(connection, orgId, [...orgTypes.keys()], id) : undefined;
  const name = found && orgTypes.get(found.typeId)?.name;
  const type = name === undefined ? undefined : catalog.objectTypes.get(name);
  if (type === undefined) {
    const sentence = `Org ${orgId} has no record ${JSON.stringify(shorten(id, 64))}, neither live nor in the trash.`;
    throw new Failure('not_found', sentence, 'Give the id of a person, such as a contact.');
  }
  if (type.kind === 'person') return type;
  const sentence = `Record ${id} is of the type ${type.name}, which is not a type of persons.`;
  throw new Failure('usage', sentence, `Give the id of a person, or export the type with --type ${type.name}.`);
}

function openSubject(connection: OwnConnection, session: Session, type: ObjectType, id: string): Subject {
  const { orgId } = session.caller;
  const ref = { typeId: type.id, id };
  const links = (way: LinkWay) => linksOf(connection, session, way, id);
  return {
    type,
    id,
    record: async () =>
      (await findKnown(connection, orgId, type.id, [id], shownProperties({ session }, type, undefined)))[0],
    externalIds: () => findExternalIdsOf(connection, orgId, ref, bounds.engine.externalIdsExported),
    owners: () => findOwners(connection, orgId, ref),
    links,
    timers: () => timersOf(connection, session, links('timers')),
  };
}

async function* linksOf(
  connection: OwnConnection,
  session: Session,
  way: LinkWay,
  id: string,
): AsyncGenerator<readonly LinkedEnd[]> {
  let after: Pick<KnownLink, 'associationTypeId' | 'id'> = { associationTypeId: 0, id: firstId };
  for (let more = true; more; ) {
    const page = await findKnownLinks(connection, session.caller.orgId, way, id, after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield await withRecords(connection, session, page);
    more = last.full || page.length === bounds.engine.exportedAtOnce;
    after = last;
  }
}

/** Each link with the record at its other end, which are read type by type. */
async function withRecords(
  connection: OwnConnection,
  session: Session,
  page: readonly KnownLink[],
): Promise<readonly LinkedEnd[]> {
  const records = new Map<string, KnownRecord>();
  for (const typeId of new Set(page.map((link) => link.typeId))) {
    const type = typeOf(session, typeId);
    if (type === undefined) continue;
    const recordIds = page.filter((link) => link.typeId === typeId).map((link) => link.id);
    const shown = shownProperties({ session }, type, undefined);
    for (const record of await findKnown(connection, session.caller.orgId, typeId, recordIds, shown)) {
      records.set(record.id, record);
    }
  }
  return page.map((link) => ({ ...link, type: typeOf(session, link.typeId), record: records.get(link.id) }));
}

function typeOf({ orgTypes, catalog }: Session, typeId: number): ObjectType | undefined {
  return catalog.objectTypes.get(orgTypes.get(typeId)?.name ?? '');
}

async function* timersOf(
  connection: OwnConnection,
  session: Session,
  pages: AsyncIterable<readonly LinkedEnd[]>,
): AsyncGenerator<readonly KnownTimer[]> {
  for await (const page of pages) {
    const found = await findTimedStages(
      connection,
      session.caller.orgId,
      page.map(({ id }) => id),
    );
    const stages = new Map(found.map((stage) => [stage.timerId, stage]));
    yield page.map((timer) => {
      const stage = stages.get(timer.id);
      if (stage === undefined) return timer;
      const type = typeOf(session, stage.typeId);
      const title = stage.values?.[type?.properties.get(type.titleProperty ?? '')?.key ?? ''];
      return { ...timer, stage: { type, id: stage.id, title: typeof title === 'string' ? title : null } };
    });
  }
}

async function* entriesAbout(
  connection: OwnConnection,
  orgId: number,
  recordIds: readonly string[],
): AsyncGenerator<readonly EntryRow[]> {
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const page: readonly EntryRow[] = await findEntriesAbout(connection, orgId, recordIds, after);
    const last = page.at(-1);
    if (page.length > 0) yield page;
    after = last !== undefined && (last.full || page.length === bounds.engine.exportedAtOnce) ? last.seq : undefined;
  }
}
