// The checks of doctor without a database: Node, the port, the embedded PostgreSQL, the data folder and the disk.

import { access, constants, lstat, readdir, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { counted } from '../../base/counted.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Config } from '../../config.ts';
import { answersAsOrrery, checkAddress, originOf } from '../../http/address.ts';
import { inspectDataFolder } from '../../store/embedded/data-folder.ts';
import { inspectPrograms, type ProgramsReport } from '../../store/embedded/embedded.ts';
import { staleCopies } from '../../store/embedded/program-copy.ts';
import { socketFolderOf } from '../../store/embedded/socket-folder.ts';
import { type Finding, thresholds, well, wrong } from './finding.ts';

export async function checkMachine(config: Config): Promise<readonly Finding[]> {
  const program = well('node', `Node ${process.versions.node} on ${process.platform}-${process.arch}.`);
  const findings = [program, await checkPort(config), describeSignIn(config)];
  if (config.place.engine === 'server') return findings;
  const { dataDir } = config.place;
  const programs = await inspectPrograms();
  return [...findings, checkPrograms(programs), ...(await checkFolder(dataDir, programs)), await checkDisk(dataDir)];
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  if (port === 0) return well('port', 'A free port will be chosen.');
  try {
    await checkAddress(host, port);
    return well('port', `Port ${port} on ${host} is free.`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (await answersAsOrrery(host, port)) return well('port', `Orrery is already running at ${originOf(host, port)}.`);
    return wrong('port', error.message, error.fix);
  }
}

/** Plain http is a note, not an error: a service that only programs use may be on a private network. */
function describeSignIn({ host, publicUrl }: Config): Finding {
  const check = 'sign-in';
  const address = new URL(publicUrl ?? originOf(host, 80));
  if (address.protocol === 'https:') return well(check, `People sign in over https, at ${address.origin}.`);
  if (isLoopback(address.hostname)) return well(check, 'People sign in on this machine only.');
  return well(
    check,
    'People on other machines sign in over plain http: anybody on the way can read passwords and sessions.',
    'Put a proxy with https in front of the service, and set --public-url to its address.',
  );
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function checkPrograms({ platform, version, problem }: ProgramsReport): Finding {
  if (version !== undefined && problem === undefined)
    return well('engine', `Embedded PostgreSQL ${version}, ${platform}.`);
  return wrong(
    'engine',
    problem ?? `No embedded PostgreSQL for ${platform} is installed.`,
    'Run "npm ci" without --omit=optional, or use a PostgreSQL server with --database-url.',
  );
}

/** The folder itself, then its files. */
async function checkFolder(dataDir: string, programs: ProgramsReport): Promise<readonly Finding[]> {
  const found = await stat(dataDir).catch(() => undefined);
  if (found === undefined) {
    const home = await nearestFolder(dataDir);
    const usable = await access(home, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (usable) return [well('data folder', `${dataDir} does not exist yet; the first start creates it.`)];
    const fix = 'Choose a folder that you can write to with --data-dir or ORRERY_DATA_DIR.';
    return [wrong('data folder', `${dataDir} does not exist, and this user may not create it in ${home}.`, fix)];
  }
  try {
    await inspectDataFolder(dataDir);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [wrong('data folder', error.message, error.fix)];
  }
  const path = await realpath(dataDir);
  return [
    (found.mode & 0o002) === 0
      ? well('data folder', `${path} is usable.`)
      : wrong('data folder', `Every user may write in ${path}.`, `Run "chmod o-w ${path}".`),
    ...(await checkPrivate(path)),
    ...describeSocket(path),
    ...(await describeCopies(path, programs)),
  ];
}

async function nearestFolder(path: string): Promise<string> {
  const home = dirname(path);
  const exists = await stat(home).then(
    (each) => each.isDirectory(),
    () => false,
  );
  return exists || home === path ? home : nearestFolder(home);
}

/** Files that only their owner may read: the keys of the demo, the log of PostgreSQL and the database. */
async function checkPrivate(folder: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, forbidden] of [
    ['demo.env', 0o077],
    ['postgres.log', 0o077],
    ['postgres', 0o027],
  ] as const) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined || (found.mode & forbidden) === 0) continue;
    const mode = found.isDirectory() ? '700' : '600';
    findings.push(wrong('private files', `Other users may read ${path}.`, `Run "chmod ${mode} ${path}".`));
  }
  return findings;
}

/** A long path is not an error, but the socket is not where one would expect it. */
function describeSocket(folder: string): readonly Finding[] {
  const socket = socketFolderOf(folder);
  if (socket.startsWith(folder)) return [];
  const detail = `The path of the data folder is too long for a socket, so the socket is in ${socket}.`;
  return [
    well('socket', detail, 'Exclude that folder from cleaning while the service runs, or choose a shorter path.'),
  ];
}

async function describeCopies(folder: string, { version }: ProgramsReport): Promise<readonly Finding[]> {
  const copies = version === undefined ? [] : await staleCopies(folder, version);
  if (copies.length === 0) return [];
  const detail = `The data folder contains programs of earlier PostgreSQL versions: ${copies.join(', ')}.`;
  return [well('engine copies', detail, 'The next start of the database removes them.')];
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const home = (await readdir(dataDir).catch(() => undefined)) === undefined ? await nearestFolder(dataDir) : dataDir;
  const { bavail, bsize, files, ffree } = await statfs(home);
  const free = bavail * bsize;
  const detail = `${counted(Math.floor(free / 1_048_576))} MiB are free on the disk of the data folder.`;
  const fix = 'Free some space: writes stop when the disk is full.';
  if (free < bounds.store.diskSpareBytes) {
    return wrong('disk', `The disk of the data folder is full: ${detail}`, 'Free some space: nothing can be written.');
  }
  if (free < thresholds.freeBytes) return wrong('disk', detail, fix);
  // Some file systems do not count their files.
  if (files > 0 && ffree < thresholds.freeFiles)
    return wrong('disk', `The disk can hold only ${counted(ffree)} more files.`, fix);
  return well('disk', detail);
}
