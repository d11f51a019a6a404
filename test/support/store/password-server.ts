// A PostgreSQL server as an operator has one: its administrator is not the user of the service, and all others need a password.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataFolder } from '../../../src/store/embedded/data-folder.ts';
import { currentPlatform, locatePackage, preparePrograms } from '../../../src/store/embedded/programs.ts';
import { runProgram, startServer } from './server-process.ts';

export interface PasswordServer {
  /** The address of a database, for the administrator. */
  adminUrl(database: string): string;
  /** The same for another user. */
  urlOf(user: string, password: string, database: string): string;
  close(): Promise<void>;
}

const administrator = 'postgres';
const port = 5_432;

export async function openPasswordServer(): Promise<PasswordServer> {
  const root = await mkdtemp(join(tmpdir(), 'orrery-server-'));
  await chmod(root, 0o755);
  const folder = await prepareDataFolder(join(root, 'data'));
  const { account, cluster } = folder;
  const { initdb, postgres } = await preparePrograms(locatePackage(currentPlatform), folder.path, account);
  const options = ['--auth=trust', '--locale=C', '--encoding=UTF8', '--no-sync', '--no-instructions'];
  await runProgram(initdb, [`--username=${administrator}`, ...options, '-D', cluster], account);
  await writeFile(join(cluster, 'pg_hba.conf'), `local all ${administrator} trust\nlocal all all scram-sha-256\n`);
  const server = await startServer(folder, { postgres, port, user: administrator });
  const urlOf = (user: string, password: string, database: string) =>
    `postgres://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(folder.path)}`;
  return {
    adminUrl: (database) => urlOf(administrator, '', database),
    urlOf,
    close: async () => {
      await server.kill();
      await server.proxy.cut();
      await rm(root, { recursive: true, force: true });
    },
  };
}
