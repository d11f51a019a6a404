// Everything that an org has of one object type, in every table, in a form that allows comparing two orgs: records are named
// by their order of creation instead of their ids, and values that differ from run to run are left out.
import { raw, sql } from '../../../src/base/sql.ts';
import type { Transaction } from '../../../src/store/database.ts';

/** The column with the id of the record in each table, and the order of its rows. */
const tables = [
  ['record', 'id', 'id'],
  ['fact', 'id', 'id'],
  ['index_text', 'record_id', 'property_id, value, record_id'],
  ['index_number', 'record_id', 'property_id, value, record_id'],
  ['index_time', 'record_id', 'property_id, value, record_id'],
  ['unique_value', 'record_id', 'property_id, value'],
  ['search', 'record_id', 'record_id'],
  // Entries of one record are in order; those of simultaneous batches may be mixed.
  ['change', 'record_id', 'record_id, seq'],
  ['record_user', 'record_id', 'record_id'],
  ['trash', 'id', 'id'],
] as const;

/** Columns that differ from run to run, or from writer to writer; in `fact`, d1 is the time of creation. */
const passing = ['org_id', 'd1', 'seq', 'xid', 'at', 'updated_at', 'created_at', 'request_id', 'principal_id'];

type OrgState = Readonly<Record<string, readonly string[]>>;

export async function stateOf(database: Transaction, orgId: number, typeId: number): Promise<OrgState> {
  const found = await database.query<{ id: string }>(
    sql`select id from orrery.record where org_id = ${orgId} and type_id = ${typeId} order by id`,
  );
  const places = new Map(found.map(({ id }, index) => [id, `record ${index}`]));
  const state: Record<string, readonly string[]> = {};
  for (const [table, id, order] of tables) {
    const rows = await database.query<{ id: string; row: string }>(sql`
      select ${raw(id)} as id, (to_jsonb(t) - ${passing}::text[] - ${id}::text)::text as row
      from ${raw(`orrery."${table}"`)} as t where org_id = ${orgId} and type_id = ${typeId} order by ${raw(order)}`);
    state[table] = rows.map(({ id, row }) => `${places.get(id) ?? 'no record'}: ${plain(row, orgId)}`);
  }
  return state;
}

/** Without the dates that the service keeps, and without the org's number in front of words. */
function plain(row: string, orgId: number): string {
  return row.replace(/(\\?"svc_(?:created|updated)_at\\?": ?\\?")[^"\\]*/g, '$1').replaceAll(`'${orgId}_`, "'org_");
}

/** The first row in which two states differ; undefined if they are equal. */
export function differenceOf(left: OrgState, right: OrgState): string | undefined {
  for (const [table] of tables) {
    const [ours, theirs] = [left[table] ?? [], right[table] ?? []];
    const at = ours.findIndex((row, index) => row !== theirs[index]);
    if (at >= 0 || ours.length !== theirs.length) {
      const place = at < 0 ? ours.length : at;
      return `${table} has ${ours.length} and ${theirs.length} rows; at ${place}: ${ours[place]} and ${theirs[place]}`;
    }
  }
  return undefined;
}
