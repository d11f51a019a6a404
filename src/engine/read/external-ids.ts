// Reads the ids that a record has in other systems.
import { bounds } from '../../base/limits.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { findExternalIdsOf } from '../../store/records/external-ids.ts';
import type { Call } from '../process/call.ts';

/** Those of a record that the caller sees. */
export function readExternalIds(call: Call, type: ObjectType, id: string): ReturnType<typeof findExternalIdsOf> {
  const { orgId } = call.session.caller;
  return findExternalIdsOf(call.database, orgId, { typeId: type.id, id }, bounds.engine.externalIdsShown);
}
