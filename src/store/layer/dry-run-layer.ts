// Lays what a dry run of an import would have written so far over what is stored: every read of a unit of work finds both.
import type { Json } from '../../base/json.ts';
import { sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';
import type { Titled } from '../import/titled.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import {
  type Link,
  type LinkGroup,
  linkGroupSource,
  linkSource,
  type NewLink,
  type UserLink,
} from '../records/associations.ts';
import { type ExternalId, type ExternalName, externalNameSource } from '../records/external-ids.ts';
import type { LockedRecord } from '../records/records.ts';
import { type UniqueValue, uniqueValueSource } from '../records/unique-values.ts';
import { ids, numbers } from '../row-parameters.ts';
import {
  beginDryRun,
  type DryRunPlace,
  type KeptLink,
  type KeptValue,
  keepDryRun,
  linkName,
  type TitledType,
  valueName,
} from './dry-run-tables.ts';
import { storedReads as stored, type UnitLayer, type UnitReads } from './unit-layer.ts';

export interface DryRunLayer extends UnitLayer {
  /** What is kept meanwhile stays if `run` returns, and goes if it throws. */
  transaction<T>(run: () => Promise<T>): Promise<T>;
}

/** The connection is the layer's alone. */
export async function openDryRunLayer(
  connection: OwnConnection,
  orgId: number,
  titled: readonly TitledType[],
): Promise<DryRunLayer> {
  await beginDryRun(connection);
  const place = { connection, orgId, titled };
  return {
    reads: layeredReads(place),
    keep: (set) => keepDryRun(place, set),
    transaction: async (run) => {
      await connection.script('begin');
      try {
        const result = await run();
        await connection.script('commit');
        return result;
      } catch (error) {
        // The first error is the one reported; a connection that cannot roll back fails with its next statement.
        await connection.script('rollback').catch(() => {});
        throw error;
      }
    },
  };
}

function layeredReads(place: DryRunPlace): UnitReads {
  return {
    lockRecords: async (transaction, viewer, where, refs, bytes) => {
      const { read, unread } = await stored.lockRecords(transaction, viewer, where, refs, bytes);
      if (where === 'trash') return { read, unread };
      const kept = await keptRecords(place, refs);
      const isKept = new Set(kept.map(({ id }) => id));
      return {
        read: [...read.filter(({ id }) => !isKept.has(id)), ...kept],
        unread: unread.filter(({ id }) => !isKept.has(id)),
      };
    },
    findLive: async (transaction, viewer, typeIds, recordIds) => {
      const found = await stored.findLive(transaction, viewer, typeIds, recordIds);
      return [...found, ...(await keptLive(place, typeIds, recordIds))];
    },
    findHolders: async (transaction, orgId, values) => {
      const kept = await keptValues(place, values);
      const isKept = new Set(kept.map(valueName));
      const found = await stored.findHolders(transaction, orgId, values);
      return [
        ...found.filter((holder) => !isKept.has(valueName(holder))),
        ...kept.flatMap(({ recordId, ...value }) => (recordId === null ? [] : [{ ...value, recordId }])),
      ];
    },
    findExternalIds: async (transaction, orgId, names) => {
      const kept = await keptExternalIds(place, names);
      // Of two, the last one counts: an id that a record in the trash has is freed when another record gets it.
      return [
        ...(await stored.findExternalIds(transaction, orgId, names)),
        ...kept.map((name) => ({ ...name, place: 'live' as const })),
      ];
    },
    findLinks: async (transaction, orgId, links) =>
      over(await stored.findLinks(transaction, orgId, links), await keptLinks(place, links)),
    findTargets: async (transaction, orgId, sources) =>
      over(await stored.findTargets(transaction, orgId, sources), await keptTargets(place, sources)),
    findUserLinks: async (transaction, orgId, records) => [
      ...(await stored.findUserLinks(transaction, orgId, records)),
      ...(await keptUsers(place, records)),
    ],
    findTitled: async (transaction, orgId, request) => {
      const { typeId, titles } = request;
      const renamed = await keptRenamed(place, typeId, titles);
      const found = await stored.findTitled(transaction, orgId, { ...request, except: renamed });
      const kept = await keptTitled(place, typeId, titles);
      // Stages that are looked for within a pipeline are not created by an import.
      if (request.within !== undefined) return found;
      const all = new Map([...found, ...kept].map((titled) => [titled.id, titled]));
      return [...all.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
    },
    findFirstStage: async (transaction, orgId, typeId) =>
      // New stages come last.
      (await stored.findFirstStage(transaction, orgId, typeId)) ?? keptFirstStage(place, typeId),
  };
}

async function keptRecords({ connection }: DryRunPlace, refs: readonly RecordRef[]): Promise<readonly LockedRecord[]> {
  const rows = await connection.query<KeptRecord>(sql`
    select type_id as "typeId", id, version, updated_at as "updatedAt", org_visible as "orgVisible", properties,
      pg_column_size(properties) as bytes
    from pg_temp.dry_run_record where id = any (${ids(refs.map(({ id }) => id))}::uuid[])`);
  return rows.map(({ version, updatedAt, ...rest }) => ({
    ...rest,
    version: Number(version),
    updatedAtMs: updatedAt.getTime(),
  }));
}

interface KeptRecord extends RecordRef {
  readonly version: string;
  readonly updatedAt: Date;
  readonly orgVisible: boolean;
  readonly properties: Readonly<Record<string, Json>>;
  readonly bytes: number;
}

function keptLive(
  { connection }: DryRunPlace,
  typeIds: readonly number[],
  recordIds: readonly string[],
): Promise<readonly RecordRef[]> {
  return connection.query<RecordRef>(sql`
    select type_id as "typeId", id from pg_temp.dry_run_record
    where type_id = any (${numbers(typeIds)}::integer[]) and id = any (${ids(recordIds)}::uuid[])`);
}

function keptValues({ connection }: DryRunPlace, values: readonly UniqueValue[]): Promise<readonly KeptValue[]> {
  return connection.query<KeptValue>(sql`
    select v.type_id as "typeId", v.property_id as "propertyId", v.value, v.record_id as "recordId"
    from pg_temp.dry_run_value as v
    join ${uniqueValueSource(values)} on v.type_id = k.type_id and v.property_id = k.property_id and v.value = k.value`);
}

async function keptExternalIds(
  { connection }: DryRunPlace,
  names: readonly ExternalName[],
): Promise<readonly ExternalId[]> {
  return connection.query<ExternalId>(sql`
    select e.type_id as "typeId", e.source, e.external_id as "externalId", e.record_id as "recordId"
    from pg_temp.dry_run_external_id as e
    join ${externalNameSource(names)} on e.type_id = k.type_id and e.source = k.source and e.external_id = k.external_id`);
}

async function keptLinks({ connection }: DryRunPlace, links: readonly Link[]): Promise<readonly KeptLink[]> {
  const rows = await connection.query<KeptLinkRow>(sql`
    select ${linkColumns} from pg_temp.dry_run_link as a
    join ${linkSource(links)}
      on a.source_id = k.source_id and a.association_type_id = k.association_type_id and a.target_id = k.target_id`);
  return rows.map(toLink);
}

async function keptTargets({ connection }: DryRunPlace, groups: readonly LinkGroup[]): Promise<readonly KeptLink[]> {
  const rows = await connection.query<KeptLinkRow>(sql`
    select ${linkColumns} from pg_temp.dry_run_link as a
    join ${linkGroupSource(groups)} on a.source_id = k.source_id and a.association_type_id = k.association_type_id`);
  return rows.map(toLink);
}

const linkColumns = sql`a.source_id as "sourceId", a.association_type_id as "associationTypeId",
  a.target_id as "targetId", a.source_type_id as "sourceTypeId", a.target_type_id as "targetTypeId",
  a.created_at as "createdAt", a.removed`;

interface KeptLinkRow extends Omit<KeptLink, 'atMs'> {
  readonly createdAt: Date;
}

function toLink({ createdAt, ...link }: KeptLinkRow): KeptLink {
  return { ...link, atMs: createdAt.getTime() };
}

/** Links that are kept count, and those that were removed do not. */
function over(found: readonly NewLink[], kept: readonly KeptLink[]): readonly NewLink[] {
  if (kept.length === 0) return found;
  const all = new Map<string, NewLink>(found.map((link) => [linkName(link), link]));
  for (const { removed, ...link } of kept) {
    if (removed) all.delete(linkName(link));
    else all.set(linkName(link), link);
  }
  return [...all.values()];
}

function keptUsers({ connection }: DryRunPlace, records: readonly RecordRef[]): Promise<readonly UserLink[]> {
  return connection.query<UserLink>(sql`
    select u.type_id as "typeId", u.record_id as id, u.user_id as "userId" from pg_temp.dry_run_user as u
    join ${refSource(records)} on u.type_id = k.type_id and u.record_id = k.id`);
}

/** At most two new or changed records of each title, the oldest first. */
function keptTitled(
  { connection }: DryRunPlace,
  typeId: number,
  titles: readonly string[],
): Promise<readonly Titled[]> {
  return connection.query<Titled>(sql`
    select t.id, k.title from json_array_elements_text(${JSON.stringify(titles)}::json) as k (title)
    cross join lateral (
      select t.id from pg_temp.dry_run_title as t where t.type_id = ${typeId} and t.title = k.title
      order by t.id limit 2) as t
    order by t.id`);
}

/** The records that are stored with one of the titles and would have another. */
async function keptRenamed(
  { connection }: DryRunPlace,
  typeId: number,
  titles: readonly string[],
): Promise<readonly string[]> {
  const rows = await connection.query<{ id: string }>(sql`
    select t.id from pg_temp.dry_run_title as t
    where t.type_id = ${typeId} and t.title is distinct from t.stored
      and t.stored in (select json_array_elements_text(${JSON.stringify(titles)}::json))`);
  return rows.map(({ id }) => id);
}

async function keptFirstStage({ connection }: DryRunPlace, typeId: number): Promise<string | undefined> {
  const [row] = await connection.query<{ id: string }>(sql`
    select id from pg_temp.dry_run_record where type_id = ${typeId} and org_visible
    order by (properties ->> 'svc_position')::numeric nulls last, id limit 1`);
  return row?.id;
}
