// Settles which of the planned records get their unique values back. A value may be held by a record outside the plans, and
// then it is refused; or by one that gives it up by its own plan, and then it is only borrowed until that one is written. A
// plan that loses a value by this gives up less itself, so this goes on until nothing changes.

import type { UniqueKey } from '../../schema/indexing/record-keys.ts';
import { isGoverned } from '../../schema/object-type.ts';
import type { Unit } from '../unit/unit.ts';
import { type RecordPlan, uniqueMoves } from './plan.ts';

/** Both ends of a unique value that one plan gives up and another one takes. */
interface Move {
  readonly from: RecordPlan;
  readonly to: RecordPlan;
}

/** By the names of the unique values (see `nameOf`). */
export type Moves = ReadonlyMap<string, Move>;

/** `isSure` tells whether nothing can refuse the plan any more: only then can others count on what it gives up. */
export async function settleUnique(
  unit: Unit,
  plans: readonly RecordPlan[],
  isSure: (plan: RecordPlan) => boolean,
): Promise<Moves> {
  const concerned = plans.filter(({ unique }) => unique.whole.groups.unique.length > 0);
  const claimed = concerned.flatMap((plan) =>
    uniqueMoves(plan).claimed.map((key) => ({ ...key, typeId: plan.type.id })),
  );
  if (claimed.length === 0) return new Map();
  await unit.holders.load(claimed);
  for (;;) {
    const { moves, refused } = await match(unit, concerned, isSure);
    if (refused.length === 0) return moves;
    for (const { plan, key } of refused) giveUp(plan, key);
  }
}

interface Matched {
  readonly moves: Moves;
  readonly refused: readonly { readonly plan: RecordPlan; readonly key: UniqueKey }[];
}

async function match(
  unit: Unit,
  plans: readonly RecordPlan[],
  isSure: (plan: RecordPlan) => boolean,
): Promise<Matched> {
  const given = new Map<string, RecordPlan>();
  for (const plan of plans) {
    if (!isSure(plan) || isGoverned(plan.type)) continue;
    for (const key of uniqueMoves(plan).lost) given.set(nameOf(plan, key), plan);
  }
  const moves = new Map<string, Move>();
  const taken = new Set<string>();
  const refused: { plan: RecordPlan; key: UniqueKey }[] = [];
  for (const plan of plans) {
    for (const key of uniqueMoves(plan).claimed) {
      const name = nameOf(plan, key);
      const holder = await unit.holders.of(plan.type, key);
      const from = given.get(name);
      const isFree = holder === undefined || holder === plan.id || from?.id === holder;
      if (!isFree || taken.has(name)) refused.push({ plan, key });
      else if (from !== undefined && from !== plan) moves.set(name, { from, to: plan });
      taken.add(name);
    }
  }
  return { moves, refused };
}

export function nameOf({ type }: RecordPlan, { propertyId, value }: UniqueKey): string {
  return `${type.id}/${propertyId}/${value}`;
}

/** The value stays as it is; a record that cannot come back without it stays in the trash. */
function giveUp(plan: RecordPlan, { key }: UniqueKey): void {
  plan.told.refused.add('unique_value_taken');
  if (plan.values.delete(key)) return;
  plan.life = undefined;
  plan.values.clear();
  plan.links = [];
}
