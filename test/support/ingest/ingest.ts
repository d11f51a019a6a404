// Runs ingest in this process, as the command does: lines in, counts and refusals out.
import { systemClock } from '../../../src/base/clock.ts';
import { batchesOf, linesOf } from '../../../src/base/files/lines.ts';
import { bounds } from '../../../src/base/limits.ts';
import type { Fault } from '../../../src/base/problem.ts';
import { raw, sql } from '../../../src/base/sql.ts';
import { openIngest } from '../../../src/engine/ingest/ingest.ts';
import type { CommandEngine } from '../../../src/engine/process/call.ts';
import { systemCall } from '../../../src/engine/process/call.ts';
import { openDirectory } from '../../../src/engine/process/directory.ts';
import { deleteRecord } from '../../../src/engine/rules/write.ts';
import { openStorage } from '../../../src/engine/shares/storage.ts';
import { transact } from '../../../src/engine/unit/transact.ts';
import type { Database } from '../../../src/store/database.ts';

interface IngestOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Line, reason and pointers of each. */
  readonly refused: readonly (readonly [line: number, reason: string | undefined, pointers: readonly string[]])[];
}

/** Lines are objects, or raw text or bytes. */
export async function ingest(
  database: Database,
  orgId: number,
  type: string,
  lines: readonly (object | string)[],
): Promise<IngestOutcome> {
  const write = await openIngest(engineOf(database), orgId, type);
  const bytes = lines.map((line) =>
    Buffer.isBuffer(line) || typeof line === 'string' ? Buffer.from(line) : Buffer.from(JSON.stringify(line)),
  );
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const line of bytes) yield Buffer.concat([line, Buffer.from('\n')]);
  }
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const refused: IngestOutcome['refused'][number][] = [];
  const full = { linesMax: bounds.engine.ingestedAtOnce, bytesMax: bounds.engine.ingestedBytes };
  for await (const batch of batchesOf(linesOf(chunks(), bounds.engine.ingestLineBytes), full)) {
    const { created, updated, unchanged, refusals } = await write(batch);
    counts.created += created;
    counts.updated += updated;
    counts.unchanged += unchanged;
    for (const { line, problem } of refusals) {
      refused.push([line, problem.reason, (problem.errors ?? []).map((fault: Fault) => fault.pointer ?? '')]);
    }
  }
  return { ...counts, refused };
}

function engineOf(database: Database): CommandEngine {
  const directory = openDirectory(database.urgent, systemClock);
  const storage = openStorage(database.urgent, systemClock, () => {});
  return { clock: systemClock, database, directory, signal: { note: () => {} }, storage, words: { wrote: () => {} } };
}

/** Deletes every record of a synced type, which no key can do. */
export async function trashAll(database: Database, orgId: number, typeName: string): Promise<void> {
  const engine = engineOf(database);
  const known = await engine.directory.find(orgId);
  const type = known?.catalog.objectTypes.get(typeName);
  if (known === undefined || type === undefined) throw new Error(`There is no ${typeName} in org ${orgId}.`);
  const rows = await database.query<{ id: string }>(sql`
    select id from orrery.record where org_id = ${orgId} and type_id = ${type.id}`);
  await transact(systemCall(engine, known), async (unit) => {
    for (const { id } of rows) {
      const draft = await unit.records.lock(type, id);
      if (draft !== undefined) await deleteRecord(unit, draft);
    }
  });
}

/** How many rows the org has in a table. */
export async function countRows(
  database: Database,
  orgId: number,
  table: 'trash' | 'change' | 'external_id' | 'record_user',
): Promise<number> {
  const [row] = await database.query<{ n: number }>(sql`
    select count(*)::int as n from ${raw(`orrery.${table}`)} where org_id = ${orgId}`);
  return row?.n ?? -1;
}
