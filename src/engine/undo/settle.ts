// Settles which of the planned records get their unique values back. A value may be held by a record outside the plans, and
// then it is refused; or by one that gives it up by its own plan, and then it is only borrowed until that one is written. A
// plan that loses a value by this gives up less itself, so those who count on it are asked again.
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
  const wanted = concerned.flatMap((plan) =>
    uniqueMoves(plan).claimed.map((key) => ({ ...key, typeId: plan.type.id })),
  );
  if (wanted.length === 0) return new Map();
  await unit.holders.load(wanted);
  const market = new Market();
  for (const plan of concerned) market.enter(plan, isSure(plan) && !isGoverned(plan.type) ? 'gives' : 'takes');
  const waiting = new Set(concerned);
  for (const plan of waiting) {
    if (unit.call.slice?.isOver() === true) await unit.call.slice.next();
    waiting.delete(plan);
    for (const key of await market.refusedTo(unit, plan)) {
      giveUp(plan, key);
      // A set goes on with what is added while it is walked through.
      for (const other of [plan, ...market.enter(plan, 'again')]) waiting.add(other);
    }
  }
  return market.moves();
}

/** Who gives up which unique value, and who takes it. */
class Market {
  readonly #givers = new Map<string, RecordPlan>();
  readonly #takers = new Map<string, RecordPlan>();
  readonly #given = new Map<RecordPlan, readonly string[]>();
  readonly #claimed = new Map<RecordPlan, readonly UniqueKey[]>();

  /** Enters what the plan gives up and takes; returns those who counted on what it no longer gives up. */
  enter(plan: RecordPlan, how: 'gives' | 'takes' | 'again'): readonly RecordPlan[] {
    const { lost, claimed } = uniqueMoves(plan);
    const former = this.#given.get(plan) ?? [];
    const gives = how === 'gives' || (how === 'again' && this.#given.has(plan));
    const given = gives ? lost.map((key) => nameOf(plan, key)) : [];
    for (const key of this.#claimed.get(plan) ?? []) {
      if (this.#takers.get(nameOf(plan, key)) === plan) this.#takers.delete(nameOf(plan, key));
    }
    if (gives) this.#given.set(plan, given);
    this.#claimed.set(plan, claimed);
    for (const name of given) this.#givers.set(name, plan);
    for (const key of claimed) {
      const name = nameOf(plan, key);
      if (!this.#takers.has(name)) this.#takers.set(name, plan);
    }
    const kept = new Set(given);
    return former.flatMap((name) => {
      if (kept.has(name)) return [];
      this.#givers.delete(name);
      return this.#takers.get(name) ?? [];
    });
  }

  /** The first value that the plan cannot have; none if it can have all. */
  async refusedTo(unit: Unit, plan: RecordPlan): Promise<readonly UniqueKey[]> {
    for (const key of this.#claimed.get(plan) ?? []) {
      const name = nameOf(plan, key);
      const holder = await unit.holders.of(plan.type, key);
      const isFree = holder === undefined || holder === plan.id || this.#givers.get(name)?.id === holder;
      if (!isFree || this.#takers.get(name) !== plan) return [key];
    }
    return [];
  }

  moves(): Moves {
    const moves = new Map<string, Move>();
    for (const [name, to] of this.#takers) {
      const from = this.#givers.get(name);
      if (from !== undefined && from !== to) moves.set(name, { from, to });
    }
    return moves;
  }
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
