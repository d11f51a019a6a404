// Writes all that a unit of work has left to write, with what follows from it: timers are seen by those who see their
// record, and records know their last activity.
import { shareTimers } from '../../store/records/stages.ts';
import type { Unit } from '../unit/unit.ts';
import { settleActivities } from './last-activity.ts';

export async function finish(unit: Unit): Promise<void> {
  await unit.flush();
  if (unit.reshared.size > 0) {
    const records = [...unit.reshared.values()];
    unit.reshared.clear();
    await shareTimers(unit.transaction, unit.call.session.caller.orgId, records, unit.origin);
  }
  if (await settleActivities(unit)) await unit.flush();
}
