// The server's log: one file beside the cluster that every start appends to, and that is emptied when it has grown.
// When a start fails, the reason is what was appended since.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { complaintIn } from './child.ts';
import type { DataFolder } from './data-folder.ts';

const logBytesMax = 10_485_760;
const reasonBytesMax = 65_536;

export interface ServerLog {
  readonly file: FileHandle;
  /** Where the entries of this start begin. */
  readonly startsAt: number;
}

/**
 * Opens the log for a start. The folder belongs to the engine's user and the opener may be root, so a link put in the
 * log's place is not followed. Emptying is safe while a server writes: every entry is appended at the current end.
 */
export async function openServerLog({ log, account }: DataFolder): Promise<ServerLog> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const file = await open(log, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    if (account !== undefined) await file.chown(account.uid, account.gid);
    if ((await file.stat()).size > logBytesMax) await file.truncate(0);
    return { file, startsAt: (await file.stat()).size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * What the server of this process id complained about since the log was opened. Backends of a killed one write their
 * farewells into the same file at the same time, so the postmaster's own word goes first, then that of its children.
 */
export async function reasonIn({ file, startsAt }: ServerLog, pid: number | undefined): Promise<string> {
  const buffer = Buffer.alloc(reasonBytesMax);
  const { bytesRead } = await file.read(buffer, 0, reasonBytesMax, startsAt);
  const lines = buffer
    .toString('utf8', 0, bytesRead)
    .split('\n')
    .filter((line) => !line.includes('unexpected postmaster exit'));
  const own = lines.filter((line) => line.includes(` [${pid}] `) && /\b(FATAL|PANIC):/.test(line));
  return complaintIn((own.length > 0 ? own : lines).join('\n'));
}
