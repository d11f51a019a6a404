// Which guard stands before which type.
import { isGoverned, type ObjectType } from '../../schema/object-type.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Unit } from '../unit/unit.ts';
import { accessKeyGuard } from './access-keys.ts';
import { associationTypeGuard } from './definitions/association-types.ts';
import { objectTypeGuard } from './definitions/object-types.ts';
import { propertyOptionGuard } from './definitions/options.ts';
import { propertyGuard } from './definitions/properties.ts';
import { requireWholeOrg } from './definitions/refusals.ts';
import type { Guard } from './guard.ts';
import { memberGuard } from './members.ts';
import { roleGuard } from './roles.ts';

const guards: ReadonlyMap<number, Guard> = new Map([
  [platformTypes.objectType, governing(objectTypeGuard, requireWholeOrg)],
  [platformTypes.property, governing(propertyGuard, requireWholeOrg)],
  [platformTypes.propertyOption, governing(propertyOptionGuard, requireWholeOrg)],
  [platformTypes.associationType, governing(associationTypeGuard, requireWholeOrg)],
  [platformTypes.member, governing(memberGuard)],
  [platformTypes.role, governing(roleGuard)],
  [platformTypes.accessKey, governing(accessKeyGuard)],
]);

/**
 * Nobody else changes the administration of the org meanwhile. Most callers have locked it before any record. `permit` refuses
 * callers who may change nothing of the kind.
 */
function governing(guard: Guard, permit: (unit: Unit) => void = () => {}): Guard {
  const after = async <T>(unit: Unit, check: () => Promise<T>): Promise<T> => {
    permit(unit);
    await unit.govern();
    return check();
  };
  return {
    create: (unit, made) => after(unit, () => guard.create(unit, made)),
    change: (unit, change) => after(unit, () => guard.change(unit, change)),
    remove: (unit, draft) => after(unit, () => guard.remove(unit, draft)),
    restore: (unit, draft) => after(unit, () => guard.restore(unit, draft)),
  };
}

/** The guard of the type; undefined for one that obeys the rules of all records and no others. */
export function guardOf(type: ObjectType): Guard | undefined {
  if (!isGoverned(type)) return undefined;
  const guard = guards.get(type.id);
  if (guard === undefined) throw new TypeError(`${type.name} has no guard.`);
  return guard;
}
