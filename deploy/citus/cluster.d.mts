/** A server of the cluster. */
export interface ClusterServer {
  readonly port: number;
  /** The file in which it logs: every statement, if the cluster was asked for that. */
  readonly log: string;
  url(database?: string): string;
  /** The process whose children are all others of the server. */
  pid(): number;
  stop(): Promise<void>;
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** The output of one statement in a database. */
  psql(database: string, text: string): string;
}

export interface Cluster {
  readonly coordinator: ClusterServer;
  readonly workers: readonly ClusterServer[];
  stop(): Promise<void>;
}

export function startCluster(options: {
  readonly pgConfig: string;
  readonly workers?: number;
  readonly keepsDisk?: boolean;
  readonly logs?: boolean;
}): Promise<Cluster>;
