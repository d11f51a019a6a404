// Runs many items on one unit of work, in slices of the org's turns on the thread. What they look up is read for many of them
// together; what they change is written and forgotten when it takes too much memory.
import type { Unit } from '../unit/unit.ts';
import { groupsOf, type Lookups, lockAhead, readAhead, weightOf } from './preload.ts';

/** `lookupsOf` gives what an item looks up. */
export async function runItems<Item>(
  unit: Unit,
  items: readonly Item[],
  lookupsOf: (item: Item) => readonly Lookups[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const lookups = (some: readonly Item[]) => some.flatMap(lookupsOf);
  const weight = (item: Item) => lookupsOf(item).reduce((sum, looked) => sum + weightOf(looked), 0);
  const { slice } = unit.call;
  await lockAhead(unit, lookups(items));
  let done = 0;
  for (const group of groupsOf(items, weight)) {
    await readAhead(unit, lookups(group));
    for (const [index, item] of group.entries()) {
      if (slice?.isOver() === true) await slice.next();
      await run(item);
      done++;
      if (!unit.isHeavy) continue;
      // It changes no outcome: whatever is needed again is read again.
      await unit.flush();
      unit.forget();
      await lockAhead(unit, lookups(items.slice(done)));
      await readAhead(unit, lookups(group.slice(index + 1)));
    }
  }
}
