// Everything that is known of a person as one JSON document, written piece by piece.
import { type Clock, isoText } from '../../base/clock.ts';
import { asString } from '../../base/json.ts';
import {
  type ExportedPerson,
  exportPerson,
  type KnownTimer,
  type LinkedEnd,
  type Subject,
} from '../../engine/admin/export-person.ts';
import { type ReadEntry, readEntry } from '../../engine/feed/entry.ts';
import type { CommandEngine } from '../../engine/process/call.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { KnownRecord } from '../../store/export/subject.ts';
import type { TakeExported } from './form.ts';

export interface PersonRequest {
  readonly orgId: number;
  /** The id of the person's record. */
  readonly person: string;
}

/** Counts the records in each piece: the person, what is linked to it, and its duplicates. */
export async function writePerson(
  engine: CommandEngine,
  clock: Clock,
  { orgId, person: id }: PersonRequest,
  take: TakeExported,
): Promise<void> {
  await exportPerson(engine, clock, { orgId, id }, async (exported) => {
    await take(`{"org_id":${orgId},"exported_at":"${isoText(clock.nowMs())}"`, 0);
    await writeSubject(exported, exported.person, take);
    await take(',"duplicates":[', 0);
    for (const [index, duplicate] of exported.duplicates.entries()) {
      await take(index === 0 ? '{' : ',{', 0);
      await writeSubject(exported, duplicate, take, '');
      await take('}', 0);
    }
    await take(']', 0);
    await writeList(exported.entries(), 'changes', (row) => entryJson(exported, row), take, 0);
    await take('}\n', 0);
  });
}

/** The members of a person or a duplicate. */
async function writeSubject(
  { session }: ExportedPerson,
  subject: Subject,
  take: TakeExported,
  separator = ',',
): Promise<void> {
  const { type, id } = subject;
  const record = await subject.record();
  const nameOf = (associationTypeId: number) => session.orgCatalog.associationNames.get(associationTypeId)?.name;
  await take(`${separator}"record":${record === undefined ? endJson(type, id) : recordText(type, record)}`, 1);
  if (record === undefined) return;
  const externalIds = (await subject.externalIds()).map(({ source, externalId }) => ({ source, id: externalId }));
  const owners = (await subject.owners()).map((owner) => ({
    id: owner.id,
    name: owner.name,
    associated_at: owner.associatedAt.toISOString(),
  }));
  const facts = { external_ids: externalIds, shared_with_org: record.orgVisible, owners };
  await take(`,${JSON.stringify(facts).slice(1, -1)}`, 0);
  await take(',"associations":[', 0);
  let before = '';
  for (const direction of ['outgoing', 'incoming'] as const) {
    for await (const page of subject.links(direction)) {
      const texts = page.map((link) => linkJson(link, direction, nameOf(link.associationTypeId)));
      await take(before + texts.join(), page.length);
      before = ',';
    }
  }
  await take(']', 0);
  await writeList(subject.timers(), 'stage_timers', timerJson, take, 1);
}

/** A member with a list of everything on the pages. Entries without a text are left out. */
async function writeList<Item>(
  pages: AsyncIterable<readonly Item[]>,
  name: string,
  textOf: (item: Item) => string | undefined,
  take: TakeExported,
  recordsEach: number,
): Promise<void> {
  await take(`,"${name}":[`, 0);
  let before = '';
  for await (const page of pages) {
    const texts = page.flatMap((item) => textOf(item) ?? []);
    if (texts.length === 0) continue;
    await take(before + texts.join(), recordsEach * texts.length);
    before = ',';
  }
  await take(']', 0);
}

/** Ids, names and versions need no escaping. */
function recordText({ name }: ObjectType, { id, version, properties, deletedAt }: KnownRecord): string {
  const deleted = deletedAt === null ? '' : `,"deleted_at":"${deletedAt.toISOString()}"`;
  return `{"id":"${id}","object_type":"${name}","version":"${version}"${deleted},"properties":${asString(properties)}}`;
}

/** A record that is gone, of which nothing else is known. */
function endJson(type: ObjectType | undefined, id: string): string {
  return JSON.stringify({ id, ...(type === undefined ? {} : { object_type: type.name }) });
}

function linkJson({ type, id, record, associatedAt }: LinkedEnd, direction: string, name: string | undefined): string {
  const end = type === undefined || record === undefined ? endJson(type, id) : recordText(type, record);
  const link = { association_type: name, direction, associated_at: associatedAt.toISOString() };
  return `${JSON.stringify(link).slice(0, -1)},"record":${end}}`;
}

function timerJson({ type, record, stage }: KnownTimer): string | undefined {
  if (type === undefined || record === undefined) return undefined;
  if (stage === undefined) return recordText(type, record);
  const left = { id: stage.id, object_type: stage.type?.name, title: stage.title ?? undefined };
  return `${recordText(type, record).slice(0, -1)},"stage":${JSON.stringify(left)}}`;
}

/** As the change feed reports it, but for its id, which is a place in the feed. */
function entryJson({ session }: ExportedPerson, row: Parameters<typeof readEntry>[1]): string | undefined {
  const entry: ReadEntry | undefined = readEntry(session, row, () => {});
  if (entry === undefined) return undefined;
  const { kind, typeName, recordId, version, changed, link, atMs, principalId, requestId } = entry;
  return JSON.stringify({
    type: kind,
    object_type: typeName,
    record_id: recordId,
    version,
    changed,
    ...(link && {
      association_type: link.associationType,
      target_type: link.targetType,
      target_id: link.targetId,
    }),
    at: isoText(atMs),
    principal_id: principalId,
    request_id: requestId,
  });
}
