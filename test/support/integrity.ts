// Checks that everything derived from an org's records agrees with them: index rows, unique values, search words, links and
// the change feed. The expected rows are computed from the stored values and compared with the stored rows.
import type { Json } from '../../src/base/json.ts';
import { join, raw, sql } from '../../src/base/sql.ts';
import { withIndexes } from '../../src/schema/catalog.ts';
import { buildCatalog } from '../../src/schema/custom/build-catalog.ts';
import type { IndexKind } from '../../src/schema/field-type.ts';
import { factValues } from '../../src/schema/indexing/fact-slots.ts';
import { indexKeys, uniqueKeys } from '../../src/schema/indexing/record-keys.ts';
import { searchWords } from '../../src/schema/indexing/search-words.ts';
import type { ObjectType } from '../../src/schema/object-type.ts';
import { factColumns, linkColumns } from '../../src/schema/slots.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { entryKinds } from '../../src/store/feed/entries.ts';
import { leftOutValues } from '../../src/store/feed/former-values.ts';
import { findCustomSchema } from '../../src/store/org/custom-schemas.ts';
import { findIndexes } from '../../src/store/query/property-indexes.ts';
import { definitionFindings } from './platform/definition-findings.ts';
import { repeated, sorted } from './records/sorted-values.ts';

interface Row {
  readonly typeId: number;
  readonly id: string;
  readonly version: number;
  readonly updatedAt: string;
  readonly place: 'record' | 'trash';
  readonly orgVisible: boolean;
  readonly properties: Readonly<Record<string, Json>>;
}

/** The findings, in sentences, as of one moment: the service writes in the background. Empty if there are none. */
export function findingsIn(database: Transaction | Database, orgId: number): Promise<readonly string[]> {
  if (!('transaction' in database)) return findingsOf(database, orgId);
  return database.transaction(async (transaction) => {
    await transaction.script('set transaction isolation level repeatable read');
    return findingsOf(transaction, orgId);
  });
}

async function findingsOf(database: Transaction, orgId: number): Promise<readonly string[]> {
  const declared = buildCatalog(await findCustomSchema(database, orgId));
  const { objectTypes, pairs } = withIndexes(declared, await findIndexes(database, orgId));
  const types = new Map([...objectTypes.values()].map((type) => [type.id, type]));
  const rows = await readRows(database, orgId);
  const live = rows.flatMap((row) => {
    const type = types.get(row.typeId);
    return row.place === 'record' && type !== undefined ? [{ row, type }] : [];
  });
  const toOne = pairs.filter((pair) => pair.cardinality === 'many_to_one').map((pair) => pair.id);
  return [
    ...placeFindings(rows, types),
    ...(await indexFindings(database, orgId, live)),
    ...(await factFindings(database, orgId, live, new Set(rows.map(({ id }) => id)))),
    ...(await uniqueFindings(database, orgId, live)),
    ...(await searchFindings(database, orgId, live)),
    ...(await linkFindings(database, orgId, rows, [...new Set(toOne)])),
    ...(await feedFindings(database, orgId, rows)),
    ...(await definitionFindings(database, orgId)),
  ];
}

type Live = readonly { readonly row: Row; readonly type: ObjectType }[];

async function readRows(database: Transaction, orgId: number): Promise<readonly Row[]> {
  const found = await database.query<Omit<Row, 'version'> & { readonly version: string }>(sql`
    select type_id as "typeId", id, version, properties, 'record' as place, org_visible as "orgVisible",
      to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt"
    from orrery.record where org_id = ${orgId}
    union all
    select type_id, id, version, properties, 'trash', org_visible,
      to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    from orrery.trash where org_id = ${orgId}`);
  return found.map((row) => ({ ...row, version: Number(row.version) }));
}

function placeFindings(rows: readonly Row[], types: ReadonlyMap<number, ObjectType>): readonly string[] {
  const seen = new Set<string>();
  return rows.flatMap(({ id, typeId, place, updatedAt, properties }) => {
    const findings: string[] = [];
    if (seen.has(id)) findings.push(`${id} is stored twice`);
    seen.add(id);
    const type = types.get(typeId);
    if (type === undefined) return [...findings, `${id} in ${place} has the unknown type ${typeId}`];
    if (properties['svc_updated_at'] !== updatedAt) findings.push(`${id} was updated at two times`);
    const createdAtMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    if (properties['svc_created_at'] !== new Date(createdAtMs).toISOString())
      findings.push(`${id} has another creation`);
    for (const [name, value] of Object.entries(properties)) {
      if (!type.groups.byKey.has(name)) findings.push(`${id} has the unknown property ${name}`);
      if (value === null) findings.push(`${id} has null as ${name}`);
    }
    return findings;
  });
}

/** Rows that are missing, and rows that should not exist. */
function compare(what: string, expected: readonly string[], actual: readonly string[]): readonly string[] {
  const wanted = new Set(expected);
  const found = new Set(actual);
  return [
    ...(actual.length === found.size ? [] : [`${what} has rows twice`]),
    ...[...wanted].filter((row) => !found.has(row)).map((row) => `${what} lacks ${row}`),
    ...[...found].filter((row) => !wanted.has(row)).map((row) => `${what} has ${row} in excess`),
  ];
}

/** For each kind of index its table, the type of its values, and the value of an unset row. */
const indexTables = {
  text: { table: raw('orrery.index_text'), cast: raw('text'), unset: '' },
  number: { table: raw('orrery.index_number'), cast: raw('numeric'), unset: '0' },
  time: { table: raw('orrery.index_time'), cast: raw('timestamptz'), unset: '-infinity' },
} as const;

/** The database itself brings both sides into one form: 1.50 and 1.5 are one number, and a moment has many texts. */
async function indexFindings(database: Transaction, orgId: number, live: Live): Promise<readonly string[]> {
  const keys = live.flatMap(({ row, type }) =>
    indexKeys(type, row.properties).map((key) => ({ ...key, typeId: type.id, id: row.id })),
  );
  const findings: string[] = [];
  for (const kind of Object.keys(indexTables) as IndexKind[]) {
    const { table, cast, unset } = indexTables[kind];
    const expected = keys
      .filter((key) => key.kind === kind)
      .map(({ typeId, propertyId, value, id }) => [typeId, propertyId, value === null, value ?? unset, id]);
    const rows = await database.query<{ readonly side: string; readonly row: string }>(sql`
      with expected as (
        select (e->>0)::integer as type_id, (e->>1)::integer as property_id, (e->>2)::boolean as unset,
          (e->>3)::${cast} as value, (e->>4)::uuid as record_id
        from json_array_elements(${JSON.stringify(expected)}::json) as e),
      actual as (
        select type_id, property_id, unset, value, record_id from ${table} where org_id = ${orgId})
      (select 'lacks' as side, m::text as row from (select * from expected except all select * from actual) as m)
      union all
      (select 'has in excess', m::text from (select * from actual except all select * from expected) as m)`);
    findings.push(...rows.map(({ side, row }) => `index_${kind} ${side} ${row}`));
  }
  return findings;
}

/** A link that was removed with its other end leaves an id that is nowhere. */
async function factFindings(
  database: Transaction,
  orgId: number,
  live: Live,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  const links = await database.query<{ readonly source: string; readonly type: number; readonly target: string }>(sql`
    select source_id as source, association_type_id as type, target_id as target
    from orrery.association where org_id = ${orgId}`);
  const targets = new Map(links.map(({ source, type, target }) => [`${source}/${type}`, target]));
  const expected = live.map(({ row, type }) => ({
    type_id: type.id,
    id: row.id,
    org_visible: row.orgVisible,
    ...factValues(type.slots, row.properties),
    ...Object.fromEntries(
      [...type.slots.links].map(([associationType, column]) => [column, targets.get(`${row.id}/${associationType}`)]),
    ),
  }));
  const values = raw(Object.values(factColumns).flat().join(', '));
  const ends = linkColumns.map(
    (column) => sql`case when ${raw(column)} = any (${[...known]}::uuid[]) then ${raw(column)} end`,
  );
  const rows = await database.query<{ readonly side: string; readonly row: string }>(sql`
    with expected as (
      select e.type_id, e.id, e.org_visible, ${values}, ${raw(linkColumns.join(', '))}
      from json_populate_recordset(null::orrery.fact, ${JSON.stringify(expected)}::json) as e),
    actual as (
      select f.type_id, f.id, f.org_visible, ${values}, ${join(ends, ', ')}
      from orrery.fact as f where f.org_id = ${orgId})
    (select 'lacks' as side, m::text as row from (select * from expected except all select * from actual) as m)
    union all
    (select 'has in excess', m::text from (select * from actual except all select * from expected) as m)`);
  return rows.map(({ side, row }) => `fact ${side} ${row}`);
}

async function uniqueFindings(database: Transaction, orgId: number, live: Live): Promise<readonly string[]> {
  const expected = live.flatMap(({ row, type }) =>
    uniqueKeys(type, row.properties).map(({ propertyId, value }) => [type.id, propertyId, value, row.id].join(' ')),
  );
  const actual = await database.query<{ readonly row: string }>(sql`
    select concat_ws(' ', type_id, property_id, value, record_id) as row
    from orrery.unique_value where org_id = ${orgId}`);
  return compare(
    'unique_value',
    expected,
    actual.map(({ row }) => row),
  );
}

async function searchFindings(database: Transaction, orgId: number, live: Live): Promise<readonly string[]> {
  const line = (typeId: number, id: string, words: readonly string[]) => [typeId, id, ...[...words].sort()].join(' ');
  const expected = live.flatMap(({ row, type }) => {
    const words = searchWords(type, row.properties).map((word) => `${orgId}_${type.id}_${word}`);
    return words.length === 0 ? [] : [line(type.id, row.id, words)];
  });
  const actual = await database.query<{ readonly typeId: number; readonly id: string; readonly words: string[] }>(sql`
    select type_id as "typeId", record_id as id, tsvector_to_array(words) as words
    from orrery.search where org_id = ${orgId}`);
  return compare(
    'search',
    expected,
    actual.map(({ typeId, id, words }) => line(typeId, id, words)),
  );
}

/** Links lead from records to records, and those that lead to one target lead to one. */
async function linkFindings(
  database: Transaction,
  orgId: number,
  rows: readonly Row[],
  toOne: readonly number[],
): Promise<readonly string[]> {
  const known = new Set(rows.map(({ typeId, id }) => `${typeId}/${id}`));
  const links = await database.query<Record<'source' | 'target', string> & { readonly type: number }>(sql`
    select source_type_id || '/' || source_id as source, target_type_id || '/' || target_id as target,
      association_type_id as type
    from orrery.association where org_id = ${orgId}`);
  const users = await database.query<{ readonly record: string }>(sql`
    select type_id || '/' || record_id as record from orrery.record_user where org_id = ${orgId}`);
  const single = links.filter(({ type }) => toOne.includes(type)).map(({ source, type }) => `${source} by ${type}`);
  return [
    ...links.flatMap(({ source, target }) =>
      [source, target].filter((end) => !known.has(end)).map((end) => `a link ends at ${end}, which is nowhere`),
    ),
    ...users.filter(({ record }) => !known.has(record)).map(({ record }) => `a user is linked to ${record}`),
    ...repeated(single).map((each) => `${each} has two targets`),
  ];
}

interface Entry {
  readonly kind: number;
  readonly id: string;
  readonly version: number;
  readonly changed: string | null;
  readonly leftOut: Readonly<Record<string, { readonly new: Json }>> | null;
}

type ChangedValues = Readonly<Record<string, { readonly old?: Json; readonly new?: Json }>>;

/** The feed of each record has its whole life: every version once, in order, and the values that it has now. */
async function feedFindings(database: Transaction, orgId: number, rows: readonly Row[]): Promise<readonly string[]> {
  const erased = await database.query<{ id: string }>(sql`
    select record_id as id from orrery.erased where org_id = ${orgId}`);
  const entries = await database.query<Omit<Entry, 'version'> & { readonly version: string }>(sql`
    select c.kind, c.record_id as id, c.version, c.changed, ${leftOutValues(orgId)} as "leftOut"
    from orrery.change as c where c.org_id = ${orgId} order by c.seq`);
  // A feed that begins later, as that of an org that was brought in.
  const starts = await database.query(sql`select 1 as found from orrery.change_start where org_id = ${orgId}`);
  if (starts.length > 0) return [];
  const lives = new Map<string, Entry[]>(rows.map(({ id }) => [id, []]));
  const findings: string[] = [];
  for (const entry of entries) {
    const life = lives.get(entry.id);
    // Of an erased record the feed has its life, without its values.
    const isGone = erased.some(({ id }) => id === entry.id) && entry.changed?.startsWith('{') !== true;
    if (life === undefined && !isGone) {
      findings.push(`the feed has ${entry.id}, which is nowhere`);
    } else life?.push({ ...entry, version: Number(entry.version) });
  }
  return [...findings, ...rows.flatMap((row) => lifeFindings(row, lives.get(row.id) ?? []))];
}

function lifeFindings({ id, version, place, properties }: Row, life: readonly Entry[]): readonly string[] {
  const { 'record.created': created, 'record.deleted': deleted } = entryKinds;
  const findings: string[] = [];
  const versions = [...new Set(life.map((entry) => entry.version))];
  const everyVersion = Array.from({ length: version }, (_, index) => index + 1);
  if (JSON.stringify(versions) !== JSON.stringify(everyVersion)) {
    findings.push(`${id} is at version ${version}, and the feed has ${versions.join()}`);
  }
  const own = life.filter((entry) => entry.kind <= entryKinds['record.restored']);
  if (new Set(own.map((entry) => entry.version)).size !== own.length) findings.push(`${id} has a version twice`);
  if (own.filter((entry) => entry.kind === created).length !== 1) findings.push(`${id} was not created once`);
  if ((own.at(-1)?.kind === deleted) !== (place === 'trash')) findings.push(`${id} is in ${place} for no reason`);
  const [stored, told] = [sorted(properties), sorted(replay(own))];
  if (stored !== told) findings.push(`${id} has ${stored}, and the feed leads to ${told}`);
  return findings;
}

/** The values that a reader of the feed would have: all of what was created or restored, then each change. */
function replay(life: readonly Entry[]): Readonly<Record<string, Json>> {
  const { 'record.created': created, 'record.updated': updated, 'record.restored': restored } = entryKinds;
  let values: Record<string, Json> = {};
  for (const { kind, changed, leftOut } of life) {
    const told = JSON.parse(changed ?? '{}') as Record<string, Json>;
    const whole = (name: string, value: Json) => value ?? leftOut?.[name]?.new ?? null;
    if (kind === created || kind === restored) {
      values = Object.fromEntries(Object.entries(told).map(([name, value]) => [name, whole(name, value)]));
    }
    if (kind !== updated) continue;
    for (const [name, change] of Object.entries(told as ChangedValues)) {
      if (change.new === undefined) delete values[name];
      else values[name] = whole(name, change.new);
    }
  }
  return values;
}
