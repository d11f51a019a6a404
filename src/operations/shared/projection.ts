// `properties` in a query string: which properties are returned.
import { shorten } from '../../../client/import/described.ts';
import type { Fault } from '../../base/problem.ts';
import type { Projection } from '../../engine/read/records.ts';
import type { ObjectType } from '../../schema/object-type.ts';

/** The named properties. A name that none of the types has is a fault; `owner` begins its text: "svc_deal has". */
export function parseProjection(
  text: string | undefined,
  types: readonly ObjectType[],
  owner: string,
  faults: Fault[],
): Projection {
  if (text === undefined) return undefined;
  const names = text.split(',');
  for (const name of new Set(names)) {
    if (types.some((type) => type.properties.has(name))) continue;
    const near = types.map((type) => type.nearestProperty(name)).find((each) => each !== undefined);
    const property = shorten(name, 64);
    faults.push({
      parameter: 'properties',
      property,
      reason: 'unknown_property',
      detail: `${owner} no property ${JSON.stringify(property)} that this key can see.`,
      ...(near === undefined ? {} : { nearest: near }),
    });
  }
  return names;
}
