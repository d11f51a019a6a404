// The servers of a cluster: the first one, with which the program speaks, and the workers, which have the rows.
import { sql } from '../../base/sql.ts';
import type { Reads } from '../database.ts';
import { areDistributed, firstTable } from './tables.ts';

interface ClusterNode {
  /** Host and port, as the first server knows it. */
  readonly address: string;
  /** Whether it has rows of orgs, or may get some. */
  readonly takesRows: boolean;
}

/** A server with the parts of the tables that it has: the same part of each table is on one server. */
export interface NodeWithParts extends ClusterNode {
  readonly isReachable: boolean;
  readonly parts: number;
}

/** All that are active. */
export async function listNodes(database: Reads): Promise<readonly ClusterNode[]> {
  return database.query<ClusterNode>(sql`
    select n.nodename || ':' || n.nodeport as address, n.shouldhaveshards as "takesRows"
    from pg_dist_node as n where n.isactive and n.noderole = 'primary' order by n.nodename, n.nodeport`);
}

/** Tried by a new connection of the first server. One that hangs takes as long as a session waits for a server. */
export async function isReachable(database: Reads, address: string): Promise<boolean> {
  const [node] = await database.query<{ reachable: boolean }>(sql`
    select citus_check_connection_to_node(n.nodename, n.nodeport) as reachable
    from pg_dist_node as n where n.nodename || ':' || n.nodeport = ${address}`);
  return node?.reachable === true;
}

/** Null if the tables are on one server. */
export async function readCluster(database: Reads): Promise<readonly NodeWithParts[] | null> {
  if (!(await areDistributed(database))) return null;
  const rows = await database.query<{ address: string; parts: number }>(sql`
    select s.nodename || ':' || s.nodeport as address, count(*)::integer as parts
    from pg_dist_shard_placement as s join pg_dist_shard as p on p.shardid = s.shardid
    where p.logicalrelid = ${firstTable}::regclass group by 1`);
  const parts = new Map(rows.map(({ address, parts: count }) => [address, count]));
  const nodes: NodeWithParts[] = [];
  for (const node of await listNodes(database)) {
    const { address } = node;
    nodes.push({ ...node, isReachable: await isReachable(database, address), parts: parts.get(address) ?? 0 });
  }
  return nodes;
}

/** The orgs whose rows are on these servers, as the first server knows without asking them. */
export async function listOrgsOf(database: Reads, addresses: readonly string[]): Promise<readonly number[]> {
  const rows = await database.query<{ org_id: number }>(sql`
    select w.org_id from orrery.rate_window as w
    where get_shard_id_for_distribution_column(${firstTable}::text, w.org_id) in (
      select s.shardid from pg_dist_shard_placement as s where s.nodename || ':' || s.nodeport = any (${addresses}::text[]))`);
  return rows.map((row) => row.org_id);
}
