// What a revert must do, worked out from the states before and after each request, without the feed: a fact that the request
// changed goes back if no later request has changed it, as far as the caller's grants and sight allow.
import { differences, type Facts, factsOf, type Snapshot } from './snapshot.ts';

/** What a caller may do. */
export interface Powers {
  readonly name: string;
  /** The user of a caller who sees only what is linked to that user or to the org. */
  readonly onlyUser: string | null;
  /** By the number of the type: the operations besides reading. Other types do not exist for the caller. */
  readonly types: ReadonlyMap<number, readonly string[]>;
}

export interface Expected {
  readonly reverted: readonly string[];
  readonly kept: readonly string[];
  readonly refused: readonly string[];
  /** The state afterwards, without versions and times. */
  readonly after: Snapshot;
}

interface Plan {
  readonly id: string;
  life: 'live' | 'trash' | undefined;
  /** By the name of a fact, what it was: undefined if there was nothing. */
  readonly facts: Map<string, string | undefined>;
  kept: boolean;
  refused: boolean;
}

/** `states[0]` is the state before everything; request number `index` led from `states[index - 1]` to `states[index]`. */
export function expectRevert(states: readonly Snapshot[], index: number, caller: Powers): Expected | 'unknown' {
  const now = states.at(-1) as Snapshot;
  const plans: Plan[] = [];
  for (const id of now.keys()) {
    const plan = planFor(states, index, caller, id);
    if (plan !== undefined) plans.push(plan);
  }
  if (plans.length === 0) return 'unknown';
  settle(now, plans);
  const after = applied(now, plans);
  const ids = (which: (plan: Plan) => boolean) =>
    plans
      .filter(which)
      .map(({ id }) => id)
      .sort();
  return {
    reverted: ids(({ id }) => differences(factsOf(now, id), factsOf(after, id)).size > 0),
    kept: ids(({ kept }) => kept),
    refused: ids(({ refused }) => refused),
    after,
  };
}

function sees({ onlyUser, types }: Powers, { place, typeId, facts }: Facts): boolean {
  if (place === 'none' || !types.has(typeId)) return false;
  return onlyUser === null || facts.has('org') || facts.has(`user ${onlyUser}`);
}

function planFor(states: readonly Snapshot[], index: number, caller: Powers, id: string): Plan | undefined {
  const before = factsOf(states[index - 1] as Snapshot, id);
  const after = factsOf(states[index] as Snapshot, id);
  const now = factsOf(states.at(-1) as Snapshot, id);
  const changed = differences(before, after);
  if (changed.size === 0 || !sees(caller, now)) return undefined;
  const later = new Set<string>();
  for (let next = index + 1; next < states.length; next++) {
    const [from, to] = [states[next - 1] as Snapshot, states[next] as Snapshot];
    for (const name of differences(factsOf(from, id), factsOf(to, id))) later.add(name);
  }
  const powers = caller.types.get(now.typeId) ?? [];
  const plan: Plan = { id, life: undefined, facts: new Map(), kept: false, refused: false };
  if (before.place === 'none') {
    if (!sees(caller, after)) return undefined;
    if (later.size > 0) plan.kept = true;
    else if (!powers.includes('delete')) plan.refused = true;
    else plan.life = 'trash';
    return plan;
  }
  const known = seenFacts(states, index, caller, { before, after }, changed);
  if (known.length === 0) return undefined;
  planLife(plan, known, { before, later, powers });
  const facts = known.filter((name) => name !== 'life');
  for (const name of facts) if (later.has(name)) plan.kept = true;
  const back = facts.filter((name) => !later.has(name));
  if (now.place === 'trash' && plan.life !== 'live') {
    if (back.length > 0 && !(known.includes('life') && !later.has('life'))) plan.kept = true;
    return plan;
  }
  const current = states.at(-1) as Snapshot;
  for (const name of back) {
    const target = targetOf(name, before.facts.get(name));
    // To the caller there was no link: what has come in its place is removed.
    const isUnseen = target !== undefined && !sees(caller, factsOf(current, target));
    const operation = name.startsWith('value ') ? 'update' : 'associate';
    if (powers.includes(operation)) plan.facts.set(name, isUnseen ? undefined : before.facts.get(name));
    else plan.refused = true;
  }
  return plan;
}

interface LifeFacts {
  readonly before: Facts;
  readonly later: ReadonlySet<string>;
  readonly powers: readonly string[];
}

function planLife(plan: Plan, known: readonly string[], { before, later, powers }: LifeFacts): void {
  if (!known.includes('life')) return;
  const isKept = before.place === 'live' ? later.has('life') : later.size > 0;
  if (isKept) plan.kept = true;
  else if (!powers.includes('delete')) plan.refused = true;
  else plan.life = before.place === 'live' ? 'live' : 'trash';
}

/** The changed facts that the caller could know of: of records that they saw then, with ends of links that they see now. */
function seenFacts(
  states: readonly Snapshot[],
  index: number,
  caller: Powers,
  { before, after }: { readonly before: Facts; readonly after: Facts },
  changed: ReadonlySet<string>,
): readonly string[] {
  const now = states.at(-1) as Snapshot;
  const sawBefore = sees(caller, before);
  const sawAfter = sees(caller, after);
  const isSeen = (target: string | undefined) => target !== undefined && sees(caller, factsOf(now, target));
  return [...changed].filter((name) => {
    if (name === 'org' || name.startsWith('user ')) return sawBefore || sawAfter;
    if (!sawBefore) return false;
    if (name.startsWith('many ')) return isSeen(name.split(' ')[2]);
    if (name.startsWith('one ')) return isSeen(before.facts.get(name)) || isSeen(after.facts.get(name));
    return index > 0;
  });
}

const uniqueFacts = ['value svc_email', 'value svc_domain'];

/** Values that others hold stay with them: whoever wanted one back does without, until no two records hold the same. */
function settle(now: Snapshot, plans: readonly Plan[]): void {
  for (;;) {
    const holders = new Map<string, string[]>();
    for (const [id, record] of now) {
      const plan = plans.find((each) => each.id === id);
      const place = plan?.life ?? record.place;
      if (place !== 'live') continue;
      for (const name of uniqueFacts) {
        const value = plan?.facts.has(name) === true ? plan.facts.get(name) : record.facts.get(name);
        for (const each of value === undefined ? [] : valuesOf(value)) {
          const key = `${record.typeId} ${name} ${each}`;
          holders.set(key, [...(holders.get(key) ?? []), id]);
        }
      }
    }
    const clash = [...holders.values()].find((ids) => ids.length > 1);
    if (clash === undefined) return;
    const loser = plans.find(({ id, life, facts }) => clash.includes(id) && (life === 'live' || hasUnique(facts)));
    if (loser === undefined) throw new Error('Two records hold one value, and neither is about to change.');
    loser.refused = true;
    if (hasUnique(loser.facts)) for (const name of uniqueFacts) loser.facts.delete(name);
    else {
      loser.life = undefined;
      loser.facts.clear();
    }
  }
}

function hasUnique(facts: Plan['facts']): boolean {
  return uniqueFacts.some((name) => facts.has(name));
}

function valuesOf(json: string): readonly string[] {
  const value = JSON.parse(json) as string | readonly string[];
  return typeof value === 'string' ? [value] : value;
}

function applied(now: Snapshot, plans: readonly Plan[]): Snapshot {
  const after = new Map<string, Facts>(now);
  for (const { id, life } of plans) {
    const record = factsOf(now, id);
    if (life !== undefined) after.set(id, { ...record, place: life });
  }
  for (const plan of plans) {
    const record = factsOf(after, plan.id);
    const facts = new Map(record.facts);
    for (const [name, former] of plan.facts) {
      const target = targetOf(name, former);
      if (target !== undefined && factsOf(after, target).place !== 'live') plan.refused = true;
      else if (former === undefined) facts.delete(name);
      else facts.set(name, former);
    }
    after.set(plan.id, { ...record, facts });
  }
  return after;
}

/** The other end of a link that is to be made again. */
function targetOf(name: string, former: string | undefined): string | undefined {
  return name.startsWith('many ') || name.startsWith('one ') ? former : undefined;
}
