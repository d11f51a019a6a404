// The place of the server's socket: in the data folder, or, if that path is too long for the kernel, in the system's
// folder for temporary files. Every process derives the same place from the data folder alone.
import { createHash } from 'node:crypto';
import { chmod, lchown, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { isRoot, ownerOf } from './account.ts';
import type { DataFolder } from './data-folder.ts';

/** Part of the socket's name only, since no network port is opened. */
export const socketPort = 5432;

/** The longest path of a socket, without its final zero byte: sun_path has 108 bytes on Linux, 104 on macOS. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;

/** Not os.tmpdir(): it depends on the environment, so two processes could use two places. */
const temporaryFolder = '/tmp';

export function socketFolderOf(dataPath: string): string {
  const inside = join(dataPath, 'socket');
  const path = join(inside, `.s.PGSQL.${socketPort}`);
  if (Buffer.byteLength(path) <= socketPathBytesMax) return inside;
  return join(temporaryFolder, `orrery-${createHash('sha256').update(dataPath).digest('hex').slice(0, 16)}`);
}

/** Makes the folder, or checks that it is ours: any user can make it in the folder for temporary files. */
export async function prepareSocketFolder(folder: DataFolder): Promise<void> {
  const path = socketFolderOf(folder.path);
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(path);
  const owner = ownerOf(folder.account);
  if (!found.isDirectory() || (found.uid !== owner && !(isRoot() && found.uid === 0))) {
    throw new Failure(
      'data_folder',
      `The folder of the database's socket, ${path}, is a link or belongs to another user.`,
      'Remove it, or give a data folder with a shorter path with --data-dir or ORRERY_DATA_DIR.',
    );
  }
  if (folder.account !== undefined) await lchown(path, folder.account.uid, folder.account.gid);
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700);
}
