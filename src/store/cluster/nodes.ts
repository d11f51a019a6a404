// The servers of a cluster: the first one, with which the program speaks, and the workers, which have the rows.
import { sql } from '../../base/sql.ts';
import type { Reads } from '../database.ts';
import { firstTable } from './tables.ts';

interface ClusterNode {
  /** Host and port, as the first server knows it. */
  readonly address: string;
  /** Whether it has rows of orgs, or may get some. */
  readonly takesRows: boolean;
  readonly isReachable: boolean;
}

/** A server with the parts of the tables that it has: the same part of each table is on one server. */
export interface NodeWithParts extends ClusterNode {
  readonly parts: number;
}

export async function listNodesWithParts(database: Reads): Promise<readonly NodeWithParts[]> {
  const nodes = await listNodes(database);
  const rows = await database.query<{ address: string; parts: number }>(sql`
    select s.nodename || ':' || s.nodeport as address, count(*)::integer as parts
    from pg_dist_shard_placement as s join pg_dist_shard as p on p.shardid = s.shardid
    where p.logicalrelid = ${firstTable}::regclass group by 1`);
  const parts = new Map(rows.map(({ address, parts: count }) => [address, count]));
  return nodes.map((node) => ({ ...node, parts: parts.get(node.address) ?? 0 }));
}

/** All that are active, each tried by a new connection of the first server. */
export async function listNodes(database: Reads): Promise<readonly ClusterNode[]> {
  return database.query<ClusterNode>(sql`
    select n.nodename || ':' || n.nodeport as address, n.shouldhaveshards as "takesRows",
      citus_check_connection_to_node(n.nodename, n.nodeport) as "isReachable"
    from pg_dist_node as n where n.isactive and n.noderole = 'primary' order by n.nodename, n.nodeport`);
}
