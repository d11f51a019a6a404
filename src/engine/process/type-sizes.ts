// Which types have so many records that reading all of them takes long.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { isLargeType } from '../../store/query/pages.ts';
import type { Connections } from '../shares/connections.ts';

export interface TypeSizes {
  isLarge(orgId: number, typeId: number): boolean | Promise<boolean>;
}

/** Asks the database once a minute for each type that is queried; a type that has just grown still counts as small. */
export function openTypeSizes(connections: Connections, clock: Clock): TypeSizes {
  const known = new Map<string, { readonly large: boolean; readonly untilMs: number }>();
  const ask = async (key: string, orgId: number, typeId: number): Promise<boolean> => {
    const large = await isLargeType(connections.of(orgId), orgId, typeId);
    if (known.size >= bounds.engine.cachedOrgs * 10) known.clear();
    known.set(key, { large, untilMs: clock.monotonicMs() + bounds.engine.typeSizeKnownMs });
    return large;
  };
  return {
    isLarge: (orgId, typeId) => {
      const key = `${orgId}/${typeId}`;
      const found = known.get(key);
      return found !== undefined && found.untilMs > clock.monotonicMs() ? found.large : ask(key, orgId, typeId);
    },
  };
}
