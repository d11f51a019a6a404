// The servers of a cluster: the first one, with which the program speaks, and the workers, which have the rows.
import { sql } from '../../base/sql.ts';
import type { Reads } from '../database.ts';

interface ClusterNode {
  /** Host and port, as the first server knows it. */
  readonly address: string;
  /** Whether it has rows of orgs, or may get some. */
  readonly takesRows: boolean;
  readonly isReachable: boolean;
}

/** All that are active, each tried by a new connection of the first server. */
export async function listNodes(database: Reads): Promise<readonly ClusterNode[]> {
  return database.query<ClusterNode>(sql`
    select n.nodename || ':' || n.nodeport as address, n.shouldhaveshards as "takesRows",
      citus_check_connection_to_node(n.nodename, n.nodeport) as "isReachable"
    from pg_dist_node as n where n.isactive and n.noderole = 'primary' order by n.nodename, n.nodeport`);
}
