// The temporary tables of a dry run of an import: the rows that it would have written so far. They are those of its own
// connection, so memory does not grow with the file, and nobody else sees them or waits for them. An import deletes no
// record, so only new and changed rows are kept, and links that were replaced.
import { isoText } from '../../base/clock.ts';
import { sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';
import type { Link, NewLink, UserLink } from '../records/associations.ts';
import { type ExternalId, externalIdSource } from '../records/external-ids.ts';
import type { UniqueValue } from '../records/unique-values.ts';
import { recordSource, userLinkSource, type WriteSet } from '../records/write-records.ts';
import { rowSource } from '../row-parameters.ts';

/** A type whose records the file names by their titles, and the member under which they keep them. */
export interface TitledType {
  readonly typeId: number;
  readonly key: string;
}

export function beginDryRun(connection: OwnConnection): Promise<void> {
  return connection.script(`
    create temporary table dry_run_record (
      type_id integer not null, id uuid primary key, version bigint not null, updated_at timestamptz not null,
      org_visible boolean not null, properties jsonb not null);
    create temporary table dry_run_title (type_id integer not null, id uuid primary key, title text, stored text);
    create index dry_run_title_title on dry_run_title using hash (title);
    create index dry_run_title_stored on dry_run_title using hash (stored);
    create temporary table dry_run_value (
      type_id integer not null, property_id integer not null, value text collate "C" not null, record_id uuid,
      primary key (type_id, property_id, value));
    create temporary table dry_run_external_id (
      type_id integer not null, source text collate "C" not null, external_id text collate "C" not null,
      record_id uuid not null, primary key (type_id, source, external_id));
    create temporary table dry_run_link (
      source_id uuid not null, association_type_id integer not null, target_id uuid not null,
      source_type_id integer not null, target_type_id integer not null, created_at timestamptz not null,
      removed boolean not null, primary key (source_id, association_type_id, target_id));
    create temporary table dry_run_user (
      type_id integer not null, record_id uuid not null, user_id uuid not null, primary key (record_id, user_id))`);
}

/** Where a dry run keeps its rows, and for which org. */
export interface DryRunPlace {
  readonly connection: OwnConnection;
  readonly orgId: number;
  readonly titled: readonly TitledType[];
}

/** Adds what a unit would have written. */
export async function keepDryRun(place: DryRunPlace, { removed, written }: WriteSet): Promise<void> {
  await keepRecords(place, [...written.inserted, ...written.updated]);
  // Another record may have taken a value that one gave up, and a link may have come back with another date.
  const taken = new Map(written.unique.map((holder) => [valueName(holder), holder]));
  const given = removed.unique.filter((value) => !taken.has(valueName(value)));
  await keepValues(place, [...taken.values(), ...given.map((value) => ({ ...value, recordId: null }))]);
  await keepExternalIds(place, written.externalIds);
  const made = new Map(written.links.map((link) => [linkName(link), link]));
  const gone = removed.links.filter((link) => !made.has(linkName(link)));
  await keepLinks(place, [
    ...[...made.values()].map((link) => ({ ...link, removed: false })),
    ...gone.map((link) => ({ ...link, sourceTypeId: 0, targetTypeId: 0, atMs: 0, removed: true })),
  ]);
  await keepUsers(place, written.users);
}

async function keepRecords({ connection, orgId, titled }: DryRunPlace, records: WriteSet['written']['updated']) {
  if (records.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_record (type_id, id, version, updated_at, org_visible, properties)
    select k.type_id, k.id, k.version, k.updated_at, k.org_visible, k.properties::jsonb from ${recordSource(records)}
    on conflict (id) do update set version = excluded.version, updated_at = excluded.updated_at,
      org_visible = excluded.org_visible, properties = excluded.properties`);
  for (const { typeId, key } of titled) {
    const named = records.filter((record) => record.typeId === typeId);
    if (named.length === 0) continue;
    await connection.query(sql`
      insert into pg_temp.dry_run_title (type_id, id, title, stored)
      select k.type_id, k.id, coalesce(nullif(k.folded, '')::jsonb ->> ${key}, k.properties::jsonb ->> ${key}),
        coalesce(r.folded ->> ${key}, r.properties ->> ${key})
      from ${recordSource(named)}
      left join orrery.record as r on r.org_id = ${orgId} and r.type_id = k.type_id and r.id = k.id
      on conflict (id) do update set title = excluded.title`);
  }
}

/** A unique value that the dry run has given to a record, or taken from one. */
export interface KeptValue extends UniqueValue {
  readonly recordId: string | null;
}

async function keepValues({ connection }: DryRunPlace, values: readonly KeptValue[]): Promise<void> {
  if (values.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_value (type_id, property_id, value, record_id)
    select k.type_id, k.property_id, k.value, k.record_id from ${keptValueSource(values)}
    on conflict (type_id, property_id, value) do update set record_id = excluded.record_id`);
}

async function keepExternalIds({ connection }: DryRunPlace, externalIds: readonly ExternalId[]): Promise<void> {
  if (externalIds.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_external_id (type_id, source, external_id, record_id)
    select k.type_id, k.source, k.external_id, k.record_id from ${externalIdSource(externalIds)}
    on conflict (type_id, source, external_id) do update set record_id = excluded.record_id`);
}

export interface KeptLink extends NewLink {
  readonly removed: boolean;
}

async function keepLinks({ connection }: DryRunPlace, links: readonly KeptLink[]): Promise<void> {
  if (links.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_link (source_id, association_type_id, target_id, source_type_id, target_type_id,
      created_at, removed)
    select k.source_id, k.association_type_id, k.target_id, k.source_type_id, k.target_type_id, k.created_at, k.removed
    from ${keptLinkSource(links)}
    on conflict (source_id, association_type_id, target_id) do update set source_type_id = excluded.source_type_id,
      target_type_id = excluded.target_type_id, created_at = excluded.created_at, removed = excluded.removed`);
}

async function keepUsers({ connection }: DryRunPlace, links: readonly UserLink[]): Promise<void> {
  if (links.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_user (type_id, record_id, user_id)
    select k.type_id, k.id, k.user_id from ${userLinkSource(links)} on conflict do nothing`);
}

/** Tells unique values apart. */
export function valueName({ typeId, propertyId, value }: UniqueValue): string {
  return `${typeId}/${propertyId}/${value}`;
}

export function linkName({ sourceId, associationTypeId, targetId }: Link): string {
  return `${sourceId}/${associationTypeId}/${targetId}`;
}

const keptValueSource = rowSource<KeptValue>(
  ['type_id', 'integer', (row) => row.typeId],
  ['property_id', 'integer', (row) => row.propertyId],
  ['value', 'text', (row) => row.value],
  ['record_id', 'uuid', (row) => row.recordId],
);

const keptLinkSource = rowSource<KeptLink>(
  ['source_id', 'uuid', (link) => link.sourceId],
  ['association_type_id', 'integer', (link) => link.associationTypeId],
  ['target_id', 'uuid', (link) => link.targetId],
  ['source_type_id', 'integer', (link) => link.sourceTypeId],
  ['target_type_id', 'integer', (link) => link.targetTypeId],
  ['created_at', 'timestamptz', (link) => isoText(link.atMs)],
  ['removed', 'boolean', (link) => link.removed],
);
