// The settings of Patroni and HAProxy. Times are the shortest that Patroni's documentation allows for its leader key (ttl),
// and short ones for the rest: a gap is what they make of it.
export const times = { ttl: 20, loop_wait: 2, retry_timeout: 5 };

const host = '127.0.0.1';

/** What the whole cluster agrees on. */
const shared = {
  ...times,
  // A PostgreSQL that has crashed is not waited for.
  primary_start_timeout: 0,
  // Only a server that has everything that was acknowledged is promoted. It is not strict: of two servers, the one that is
  // left goes on alone, and the other one cannot be promoted before it has caught up.
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: { wal_log_hints: 'on', max_connections: 100, wal_keep_size: '512MB', shared_buffers: '128MB' },
  },
};

/** Patroni reads JSON too. Others learn the addresses of the proxies. */
export function memberSettings({ name, folder, dataFolder, ports, proxies }, postgresBin) {
  const user = (username) => ({ username, password: 'nobody asks for it' });
  return {
    scope: 'orrery',
    name,
    restapi: { listen: `${host}:${ports.patroni}`, connect_address: `${host}:${proxies.patroni.port}` },
    // By version 2 of etcd's API: with version 3, Patroni before 3.0.3 overwrites the key of the leader after it has hung, while
    // another server takes writes, which are lost then (patroni/patroni#2689); and the pair is never in step again, because
    // its copy of the keys stays old (#2783). As a proxy: Patroni would otherwise ask etcd for its address, and go past ours.
    etcd: { host: `${host}:${proxies.etcd.port}`, use_proxies: true },
    bootstrap: {
      dcs: shared,
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      pg_hba: [`host all all ${host}/32 trust`, `host replication all ${host}/32 trust`],
    },
    postgresql: {
      listen: `${host}:${ports.database}`,
      connect_address: `${host}:${proxies.database.port}`,
      data_dir: dataFolder,
      bin_dir: postgresBin,
      pgpass: `${folder}/pgpass`,
      authentication: { superuser: user('postgres'), replication: user('replicator'), rewind: user('rewinder') },
      parameters: { unix_socket_directories: folder },
    },
  };
}

/** Connections go to the server whose Patroni says that it leads, and end when it no longer does. */
export function haproxySettings(port, nodes) {
  const servers = nodes.map(
    ({ name, proxies }) => `  server ${name} ${host}:${proxies.database.port} check port ${proxies.patroni.port}`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind ${host}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
