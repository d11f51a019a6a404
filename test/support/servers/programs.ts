// The programs of a PostgreSQL that has all of them. The embedded one has none that copies a server or rewinds it.
import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';

const needed = ['initdb', 'postgres', 'pg_ctl', 'psql', 'pg_basebackup', 'pg_rewind'];
const ofDebian = '/usr/lib/postgresql';
const oldest = 15;

function folders(): readonly string[] {
  const named = process.env['POSTGRESQL_BIN'];
  if (named !== undefined) return [named];
  return [...newestOfDebian(), ...(process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '')];
}

function newestOfDebian(): readonly string[] {
  try {
    const versions = readdirSync(ofDebian).map(Number);
    const known = versions.filter((version) => version >= oldest).toSorted((left, right) => right - left);
    return known.map((version) => join(ofDebian, String(version), 'bin'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Their folder on this machine, or the one that POSTGRESQL_BIN names; undefined if there is none. */
export const programsFolder: string | undefined = folders().find((folder) =>
  needed.every((name) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  }),
);
