// Erases a record for the operator: of every type but timers and those by which an org is administered, whatever keys may do.
// Of a record that was purged from the trash, the feed may still have values: they are erased as well.

import { shorten } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import { isId } from '../../base/id.ts';
import { Problem } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { isErasable } from '../../schema/roles/erasable.ts';
import { findUnfinished, hasHistory } from '../../store/erase/erased.ts';
import type { Redact } from '../../store/erase/steps.ts';
import { type CommandEngine, systemCall } from '../process/call.ts';
import { type Erasure, erasePurged, eraseRecord, lockAnywhere } from '../rules/erase.ts';
import { preload } from '../rules/preload.ts';
import { transact } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { finishErasures } from './finish-erasures.ts';
import { requireKnown, requireType } from './require-type.ts';

interface EraseRequest {
  readonly orgId: number;
  readonly typeName: string;
  readonly id: string;
}

/** Nothing of the record is left when it resolves, unless another process is busy with a long history in the same org. */
export async function eraseForOperator(
  engine: CommandEngine,
  { orgId, typeName, id }: EraseRequest,
  redact: Redact,
): Promise<Erasure> {
  const known = await requireKnown(engine, orgId);
  const type = requireType(known, typeName);
  if (!isErasable(type)) {
    const sentence = `Records of ${typeName} cannot be erased.`;
    throw new Failure(
      'usage',
      sentence,
      'Delete what the API lets you delete, and purge it with "orrery trash purge".',
    );
  }
  const work = async (unit: Unit): Promise<Erasure> => {
    await preload(unit, [{ type, trashed: [id], stages: true }]);
    if (!isId(id)) throw noRecord(orgId, type, id);
    const draft = await lockAnywhere(unit, type, id);
    if (draft !== undefined) return eraseRecord(unit, draft, redact);
    if (!(await hasHistory(unit.transaction, orgId, { typeId: type.id, id }))) throw noRecord(orgId, type, id);
    return erasePurged(unit, { type, id }, redact);
  };
  const erasure = await transact(systemCall(engine, known), work, 'looked_up').catch((error: unknown) => {
    throw refused(error);
  });
  if (erasure.isFinished()) return erasure;
  await finishErasures(engine, orgId, redact);
  const left = await findUnfinished(engine.database, orgId, 1);
  return { ...erasure, isFinished: () => left.length === 0 };
}

function noRecord(orgId: number, { name }: ObjectType, id: string): Failure {
  const sentence = `${name} of org ${orgId} has no record ${JSON.stringify(shorten(id, 64))}, neither live nor in the trash.`;
  return new Failure('not_found', sentence, 'Check the id, and the type with --type.');
}

/** A stage or pipeline that is in use. */
function refused(error: unknown): unknown {
  if (!(error instanceof Problem) || error.reason !== 'stage_in_use') return error;
  return new Failure('rows_refused', error.message, 'Then erase it.', error);
}
