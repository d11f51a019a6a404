// The programs of other packages that the run needs, and what to install where one is missing. Nothing is downloaded.
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const named = ['etcd', 'patroni', 'patronictl', 'haproxy'];
/** Servers are often not in the path of an ordinary user. */
const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].filter((folder) => folder !== '');
const debianPostgres = '/usr/lib/postgresql';
const oldestPostgres = 15;

/** The path of each program, and the folder of PostgreSQL's as `postgresBin`; undefined where it is missing. */
export async function findPrograms() {
  const found = await Promise.all(named.map(async (name) => [name, await findIn(folders, name)]));
  return { ...Object.fromEntries(found), postgresBin: await findPostgres() };
}

/** One sentence if the run cannot begin; undefined if it can. */
export function whatIsMissing(programs) {
  const missing = Object.entries(programs).filter(([, path]) => path === undefined);
  if (missing.length === 0) return undefined;
  const names = missing.map(([name]) => (name === 'postgresBin' ? `PostgreSQL ${oldestPostgres} or later` : name));
  return `The part "failover" needs ${names.join(', ')}: install Debian's packages with "apt-get install patroni etcd-server haproxy postgresql".`;
}

async function findPostgres() {
  const versions = await readdir(debianPostgres).catch(() => []);
  const newest = versions
    .map(Number)
    .filter((version) => version >= oldestPostgres)
    .sort((left, right) => right - left);
  const bins = newest.map((version) => join(debianPostgres, String(version), 'bin'));
  const postgres = (await findIn(bins, 'postgres')) ?? (await findIn(folders, 'postgres'));
  return postgres === undefined ? undefined : join(postgres, '..');
}

async function findIn(places, name) {
  for (const place of places) {
    const path = join(place, name);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
