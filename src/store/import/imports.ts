// Records how far imports have come. The row of an import advances in the transaction of each batch, and only from
// where that batch begins: even after a kill or a second run, no batch is written twice and none is left out.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { lockKeyOf, tryKeepLock } from '../locks.ts';

export interface ImportCounts {
  /** Rows of the file that have been processed. */
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** Rows that were taken without bad cells. */
  readonly incomplete: number;
  /** Links made with rows, and links left out because their target does not exist. */
  readonly linked: number;
  readonly unlinked: number;
  /** Records that were made because links needed them. */
  readonly targetsCreated: number;
  /** The length of the errors file. */
  readonly errorsBytes: number;
}

export const noCounts: ImportCounts = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  incomplete: 0,
  linked: 0,
  unlinked: 0,
  targetsCreated: 0,
  errorsBytes: 0,
};

export interface ImportName {
  readonly orgId: number;
  readonly digest: Buffer;
}

/** True for one process at a time, for as long as the connection lasts. */
export function lockImport(connection: Transaction, { orgId, digest }: ImportName): Promise<boolean> {
  return tryKeepLock(connection, { use: 'import', key: lockKeyOf(orgId, digest.toString('hex')) });
}

/** An import that was interrupted. */
export interface StoredImport extends ImportCounts {
  readonly errorsFile: string;
  /** The job that did it; undefined for one of a release without. */
  readonly jobId: string | undefined;
}

/** How far the import has come; undefined if it has not begun or is finished. */
export async function findImport(
  transaction: Transaction,
  { orgId, digest }: ImportName,
): Promise<StoredImport | undefined> {
  const [row] = await transaction.query<Record<keyof ImportCounts, string> & StoredRow>(sql`
    select rows, created, updated, unchanged, refused, incomplete, linked, unlinked,
      targets_created as "targetsCreated", errors_bytes as "errorsBytes", errors_file as "errorsFile", job_id as "jobId"
    from orrery.import where org_id = ${orgId} and digest = ${digest}`);
  if (row === undefined) return undefined;
  return {
    rows: Number(row.rows),
    created: Number(row.created),
    updated: Number(row.updated),
    unchanged: Number(row.unchanged),
    refused: Number(row.refused),
    incomplete: Number(row.incomplete),
    linked: Number(row.linked),
    unlinked: Number(row.unlinked),
    targetsCreated: Number(row.targetsCreated),
    errorsBytes: Number(row.errorsBytes),
    errorsFile: row.errorsFile,
    jobId: row.jobId ?? undefined,
  };
}

interface StoredRow {
  readonly errorsFile: string;
  readonly jobId: string | null;
}

/**
 * Begins the import, or notes the job that continues it. Imports interrupted long ago are deleted, and the oldest if there are too
 * many.
 */
export async function beginImport(
  transaction: Transaction,
  { orgId, digest }: ImportName,
  errorsFile: string,
  jobId: string,
): Promise<void> {
  await transaction.query(sql`
    delete from orrery.import as i where i.org_id = ${orgId} and i.digest <> ${digest}
      and (i.changed_at < now() - make_interval(secs => ${bounds.store.importKeptSeconds})
        or i.digest in (select k.digest from orrery.import as k where k.org_id = ${orgId}
          order by k.changed_at desc offset ${bounds.store.importsKept}))`);
  await transaction.query(sql`
    insert into orrery.import (org_id, digest, errors_file, job_id)
    values (${orgId}, ${digest}, ${errorsFile}, ${jobId})
    on conflict (org_id, digest) do update set job_id = excluded.job_id`);
}

/** Advances the import by one batch; false if it is not where the batch begins. */
export async function advanceImport(
  transaction: Transaction,
  { orgId, digest }: ImportName,
  from: ImportCounts,
  to: ImportCounts,
): Promise<boolean> {
  const moved = await transaction.query(sql`
    update orrery.import set rows = ${to.rows}, created = ${to.created}, updated = ${to.updated},
      unchanged = ${to.unchanged}, refused = ${to.refused}, incomplete = ${to.incomplete}, linked = ${to.linked},
      unlinked = ${to.unlinked}, targets_created = ${to.targetsCreated}, errors_bytes = ${to.errorsBytes}, changed_at = now()
    where org_id = ${orgId} and digest = ${digest} and rows = ${from.rows}
    returning 1 as moved`);
  return moved.length > 0;
}

/** Ends the import, so that nobody continues it. From here on all of it survives a power cut. */
export async function endImport(transaction: Transaction, { orgId, digest }: ImportName): Promise<void> {
  await transaction.script('set local synchronous_commit = on');
  await transaction.query(sql`delete from orrery.import where org_id = ${orgId} and digest = ${digest}`);
}
