// Merging a duplicate into another record, in the model of links (contract 5).
import { discard, type ItemOf, inOrder, leaveStage, type Outcome, recordFaults, withChanges } from './rules.ts';
import type { LinkState } from './state.ts';
import { type Values, worldAssociations, worldTypes } from './world.ts';

export function mergeItem(
  state: LinkState,
  { type, id, duplicate }: ItemOf<'merge'>,
  refs: ReadonlySet<string>,
  refusals: readonly string[],
): Outcome {
  const faults = [...refusals, ...recordFaults(state, type, duplicate, refs)];
  if (id === duplicate) faults.push('400 invalid_member');
  if (state.inUse(id) || state.inUse(duplicate)) faults.push('409 stage_in_use');
  if (faults.length > 0) return { refusals: faults };
  const kept = state.get(id);
  const values = withChanges(kept.values, filled(type, kept.values, state.get(duplicate).values));
  const moved = inOrder(movedFrom(state, duplicate, id));
  // Links that it gives away make a version of the duplicate, before the one that deletes it.
  if (moved.length > 0) state.touch(duplicate);
  for (const link of moved) {
    leaveStage(state, link, state.get(duplicate).version);
    state.remove(link);
  }
  discard(state, duplicate);
  const { version } = values !== kept.values || moved.length > 0 ? state.touch(id, values) : kept;
  for (const link of moved) state.add({ ...link, source: id, joined: false, since: version });
  moveIncoming(state, duplicate, id);
  return { status: 200, record: id, version };
}

/** What the remaining record gets: values that it lacks, and elements of lists that it does not have. */
function filled(type: string, own: Values, others: Values): Values {
  const gained: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(others)) {
    const mine = own[name];
    if (mine === undefined) gained[name] = value;
    else if (worldTypes[type]?.multiValued?.includes(name) === true) {
      gained[name] = [...new Set([...(mine as readonly unknown[]), ...(value as readonly unknown[])])];
    }
  }
  return gained;
}

/** The links of the duplicate that the other record takes over. Those that nobody sees stay with it. */
function movedFrom(state: LinkState, duplicate: string, kept: string) {
  return state.from(duplicate).filter((link) => {
    const { association, target } = link;
    if (!state.isSeen(link)) return false;
    const own = state.from(kept, association);
    if (target === kept || own.some((link) => link.target === target)) return false;
    return worldAssociations[association]?.toOne !== true || own.length === 0;
  });
}

/** Links that end at the duplicate end at the other record now, and each source gets one version; not so in the trash. */
function moveIncoming(state: LinkState, duplicate: string, kept: string): void {
  const moved = state
    .to(duplicate)
    .filter(
      ({ source, association }) => state.isLive(source) && source !== kept && !state.has(source, association, kept),
    );
  for (const source of new Set(moved.map((link) => link.source))) state.touch(source);
  for (const link of moved) {
    state.remove(link);
    state.add({ ...link, target: kept });
  }
}
