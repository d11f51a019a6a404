// The server's log: one file beside the cluster. Every start appends to it, and empties it if it has grown large. The
// reason for a failed start is in what was appended since.
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
 * Opens the log for a start. The folder belongs to PostgreSQL's user and we may be root, so a link in place of the log
 * is not followed. Emptying it while a server writes is safe: every entry is appended at the current end.
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
 * The complaint of the server with this process id since the log was opened. Backends of a killed server write into the
 * same file at the same time, so the postmaster's own lines count first, then those of its children.
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
