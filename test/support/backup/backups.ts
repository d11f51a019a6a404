// Short ways to back up and restore, as the command line does, and to sum up the content of a database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'vitest';
import { compress, openNewFile } from '../../../src/cli/db/backup-file.ts';
import { repeatErasures } from '../../../src/engine/admin/repeat-erasures.ts';
import { redactAnswer } from '../../../src/operations/shared/redact-answer.ts';
import { backUp } from '../../../src/store/backup/backup.ts';
import type { BackupTrailer, TableSum } from '../../../src/store/backup/format.ts';
import { verifyBackup } from '../../../src/store/backup/read.ts';
import { type Restored, restore } from '../../../src/store/backup/restore.ts';
import type { OldKeys } from '../../../src/store/backup/restore-keys.ts';
import type { Database, OwnConnection } from '../../../src/store/database.ts';

const quiet = { release: '0.0.0-test', report: () => {} };

export interface BackupFolder {
  path(name: string): string;
  remove(): Promise<void>;
}

/** A folder for backups, which is removed with the test. */
export async function createBackupFolder(): Promise<BackupFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-backup-'));
  return { path: (name) => join(folder, name), remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function backUpTo(database: Database, file: string): Promise<BackupTrailer> {
  const target = await openNewFile(file);
  return backUp(database, quiet, async (content) => {
    await target.write(content);
  });
}

/** Erases what was erased since the backup was made. */
export const eraseAgain = (connection: OwnConnection): Promise<void> => repeatErasures(connection, redactAnswer);

/** Saves the old content in `save`, or discards it. */
export async function restoreFrom(
  database: Database,
  file: string,
  save?: string,
  oldKeys: OldKeys = 'stay_closed',
): Promise<Restored> {
  const openSave = async () => {
    const target = await openNewFile(save ?? '');
    return async (content: AsyncIterable<Buffer>) => {
      await target.write(content);
    };
  };
  const request = { ...quiet, file, openSave: save === undefined ? undefined : openSave, oldKeys, eraseAgain };
  return restore(database, await verifyBackup(file), request);
}

/** Takes everything and keeps nothing. */
export function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Tables that a restore gives values of its own. */
const ownValues = ['epoch', 'change_start', 'property_index'];

/** A digest of every table, without those that a restore changes. */
export async function sumsOf(database: Database): Promise<Readonly<Record<string, TableSum>>> {
  const { tables } = await backUp(database, quiet, async (content) => {
    await compress(content, nowhere());
  });
  expect(Object.keys(tables).length).toBeGreaterThan(15);
  return Object.fromEntries(Object.entries(tables).filter(([name]) => !ownValues.includes(name)));
}
