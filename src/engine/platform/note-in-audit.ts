// Notes something in the audit of an org that the service or the operator does without a unit of work, in its transaction.
import type { Transaction } from '../../store/database.ts';
import { systemCall, type WorkingEngine } from '../process/call.ts';
import { Unit } from '../unit/unit.ts';
import { Administration, type AuditNote } from './administration.ts';

export async function noteInAudit(
  engine: WorkingEngine,
  transaction: Transaction,
  orgId: number,
  note: AuditNote,
): Promise<void> {
  const known = await engine.directory.find(orgId);
  if (known === undefined) return;
  const unit = new Unit(systemCall(engine, known), transaction, 'assumed');
  unit.book(Administration).note(note);
  await unit.finish();
}

/** For records that are removed from the trash. */
export async function notePurge(
  engine: WorkingEngine,
  transaction: Transaction,
  orgId: number,
  records: number,
): Promise<void> {
  if (records === 0) return;
  await noteInAudit(engine, transaction, orgId, { action: 'trash.purged', detail: `${records} records` });
}
