// The condition that names a record by its id in another system: {"external_id": "123", "source": "hubspot"}.
import { describe } from '../../client/import/described.ts';
import { characterCount, isStorable } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import type { ObjectType } from '../schema/object-type.ts';
import type { FaultList, Members } from './fault-list.ts';
import type { Condition } from './plan.ts';

/** One condition for each of the types; undefined if there is an error. */
export function parseExternalId(
  types: readonly ObjectType[],
  node: Members,
  pointer: string,
  faults: FaultList,
): readonly Condition[] | undefined {
  const { external_id: externalId, source } = node;
  const { externalIdCharacters, externalSourceCharacters } = bounds.engine;
  const idFits = checkText(externalId, externalIdCharacters, `${pointer}/external_id`, faults);
  const sourceFits = checkText(source, externalSourceCharacters, `${pointer}/source`, faults);
  if (!idFits || !sourceFits) return undefined;
  return types.map(({ id: typeId }) => ({ kind: 'external_id', typeId, source, externalId }));
}

function checkText(value: unknown, most: number, pointer: string, faults: FaultList): value is string {
  if (typeof value === 'string' && value !== '' && characterCount(value) <= most && isStorable(value)) return true;
  const reason = typeof value === 'string' ? 'invalid_value' : 'invalid_member';
  faults.add({ pointer, reason, detail: `Expected a string of 1 to ${most} characters; got ${describe(value)}.` });
  return false;
}
