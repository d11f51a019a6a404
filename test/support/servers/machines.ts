// Two machines as the guide has them, as two folders of this one: each with its own home, PostgreSQL server and port. What is
// different here from what the guide says is declared once, in `adapted`.
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, isRoot, preferredAccount } from '../../../src/store/embedded/account.ts';
import { childEnvironment } from '../../../src/store/embedded/child.ts';
import { freePort } from '../free-port.ts';
import { makeCertificate } from '../store/certificate.ts';
import { programsFolder } from './programs.ts';
import type { Block } from './section.ts';

const machineNames = ['db1', 'db2'] as const;
export type MachineName = (typeof machineNames)[number];

export interface Machines {
  /** Runs the lines of the guide where they say; the first one that fails ends it with an error. Returns what they print. */
  run(block: Block): Promise<string>;
  /** Runs other lines on one machine. */
  on(name: MachineName, script: string): Promise<string>;
  /** The text of the guide, with the addresses that are other ones here. */
  adapted(text: string): string;
  close(): Promise<void>;
}

const linesMs = 120_000;

/** On `db1`, a server with TLS for everybody in this machine. Nothing is on `db2`. */
export async function openMachines(): Promise<Machines> {
  const root = await mkdtemp(join(tmpdir(), 'orrery-machines-'));
  await chmod(root, 0o755);
  const account = isRoot() ? await preferredAccount() : undefined;
  const ports = { db1: await freePort(), db2: await freePort() };
  const own = (path: string) => (account === undefined ? undefined : chown(path, account.uid, account.gid));
  const { cert, key } = makeCertificate();
  const authority = join(root, 'ca.pem');
  await writeFile(authority, cert);
  await writeFile(join(root, 'key.pem'), key, { mode: 0o600 });
  await own(join(root, 'key.pem'));
  await makeFolder(join(root, 'sockets'), own);
  for (const name of machineNames) await makeHome(join(root, name), cert, own);

  const adapted = (text: string) =>
    text
      .replaceAll(/host=(db[12])\b/g, (_, name: MachineName) => `host=localhost port=${ports[name]}`)
      .replaceAll('@db1:5432,db2:5432/', `@localhost:${ports.db1},localhost:${ports.db2}/`)
      .replaceAll('10.0.0.0/24', 'samehost')
      .replaceAll('/etc/orrery/ca.pem', encodeURIComponent(authority));
  const on = (name: MachineName, script: string) =>
    runLines(script, join(root, name), account, {
      HOME: join(root, name),
      PGDATA: dataFolder(root, name),
      PGPORT: String(ports[name]),
      PGHOST: join(root, 'sockets'),
      PGUSER: 'postgres',
    });
  const close = async () => {
    for (const name of machineNames) await on(name, 'if pg_ctl status; then pg_ctl stop --mode immediate; fi');
    await rm(root, { recursive: true, force: true });
  };
  try {
    await on('db1', firstServer(root));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    adapted,
    on,
    run: async ({ place, script }) => {
      const printed: string[] = [];
      for (const name of place === 'both' ? machineNames : [place]) printed.push(await on(name, adapted(script)));
      return printed.join('');
    },
    close,
  };
}

type Own = (path: string) => Promise<void> | undefined;

async function makeFolder(path: string, own: Own): Promise<void> {
  await mkdir(path);
  await own(path);
}

/** psql would go on after a statement that fails, and a person who pastes lines would see that. */
async function makeHome(home: string, authority: string, own: Own): Promise<void> {
  await makeFolder(home, own);
  await makeFolder(join(home, '.postgresql'), own);
  await writeFile(join(home, '.postgresql/root.crt'), authority);
  await writeFile(join(home, '.psqlrc'), '\\set ON_ERROR_STOP on\n');
}

const dataFolder = (root: string, name: MachineName) => join(root, name, 'data');

function firstServer(root: string): string {
  return `initdb --username=postgres --auth=trust --locale=C --encoding=UTF8 --no-sync --no-instructions
echo 'local all postgres trust' > "$PGDATA/pg_hba.conf"
cat >> "$PGDATA/postgresql.conf" <<'END'
unix_socket_directories = '${root}/sockets'
ssl = on
ssl_cert_file = '${root}/ca.pem'
ssl_key_file = '${root}/key.pem'
END
pg_ctl start --log "$PGDATA.log"
`;
}

async function runLines(
  script: string,
  cwd: string,
  account: Account | undefined,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { ...childEnvironment, PATH: `${programsFolder}:${childEnvironment.PATH}`, ...variables };
  const running = promisify(execFile)('bash', ['-c', `set -eu\n${script}`], {
    cwd,
    env,
    timeout: linesMs,
    ...account,
  });
  // psql would read the lines that a person pastes after it.
  running.child.stdin?.end();
  const { stdout } = await running.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}\n${script}`);
  });
  return stdout;
}
