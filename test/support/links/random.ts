// Generated steps on links: a mix of all operations, most of which succeed, on records that meet each other often.

import type { Random } from '../random.ts';
import { applyItem } from './model.ts';
import type { Item, LinkItem } from './rules.ts';
import type { LinkState } from './state.ts';
import { isMaking, nobody, noRef, type Step } from './steps.ts';
import { associationsFrom, stageAssociations, type Values, worldAssociations, worldTypes } from './world.ts';

const types = Object.keys(worldTypes);
const uniqueTypes = types.filter((type) => worldTypes[type]?.unique !== undefined);
const stageTypes = types.filter((type) => /stage$|pipeline$|^phase$|^shelf$/.test(type));

/** How many more records of the type there may be. */
function roomFor(state: LinkState, type: string): number {
  return (worldTypes[type]?.most ?? 0) - state.live(type).length;
}

export class LinkSteps {
  readonly #random: Random;
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(state: LinkState): Step {
    const random = this.#random;
    if (random.chance(0.2)) return this.#batch(state);
    const item = this.#item(state);
    const batched = item.operation === 'merge' || item.operation === 'restore';
    const dry = random.chance(0.03) ? ({ dry: true } as const) : {};
    if (batched) return { way: random.chance(0.5) ? 'batch' : 'atomic', items: [item], ...dry };
    const conditional = item.operation !== 'create' && item.operation !== 'upsert' && random.chance(0.06);
    const onlyIf = conditional ? { onlyIf: random.chance(0.5) ? ('current' as const) : ('stale' as const) } : {};
    return { way: 'single', items: [item], ...dry, ...onlyIf };
  }

  /** Items that see each other: records that are made are linked, moved, deleted and merged in the same batch. */
  #batch(state: LinkState): Step {
    const random = this.#random;
    const after = state.copy();
    const refs = new Set([noRef]);
    const items = random.times(random.between(2, 8), () => {
      const item = random.chance(0.02) ? this.#unknownRef(after) : this.#item(after);
      applyItem(after, item, refs);
      if (isMaking(item)) refs.add(item.id);
      return item;
    });
    const dry = random.chance(0.05) ? ({ dry: true } as const) : {};
    return { way: random.chance(0.5) ? 'atomic' : 'batch', items, ...dry };
  }

  #unknownRef(state: LinkState): Item {
    const type = this.#populated(state);
    return { operation: 'update', type, id: noRef, properties: this.#values(type) };
  }

  #item(state: LinkState): Item {
    const roll = this.#random.next();
    if (this.#random.chance(0.5) && types.flatMap((type) => state.live(type)).length < 80) return this.#create(state);
    if (roll < 0.17) return this.#create(state);
    if (roll < 0.22) return this.#upsert(state);
    if (roll < 0.31) return this.#update(state);
    if (roll < 0.45) return this.#move(state);
    if (roll < 0.5) return this.#activity(state);
    if (roll < 0.66) return this.#associate(state);
    if (roll < 0.75) return this.#dissociate(state);
    if (roll < 0.84) return this.#delete(state);
    if (roll < 0.9) return this.#restore(state);
    if (roll < 0.96) return this.#merge(state);
    return this.#refused(state);
  }

  /** A type that has live records; more likely one that has many. */
  #populated(state: LinkState, among: readonly string[] = types): string {
    const weighted = among.flatMap((type) => state.live(type).map(() => type));
    return weighted.length === 0 ? 'svc_contact' : this.#random.pick(weighted);
  }

  #live(state: LinkState, type: string): string {
    const labels = state.live(type);
    return labels.length === 0 ? nobody : this.#random.pick(labels);
  }

  #label(type: string): string {
    this.#made++;
    return `${type.replace(/^svc_/, '')}-${this.#made}`;
  }

  #create(state: LinkState): Item {
    const room = types.flatMap((type) => Array<string>(Math.max(0, roomFor(state, type))).fill(type));
    if (room.length === 0) return this.#delete(state);
    const type = this.#random.pick(room);
    return {
      operation: 'create',
      type,
      id: this.#label(type),
      properties: this.#values(type),
      links: this.#inline(state, type),
    };
  }

  #upsert(state: LinkState): Item {
    const type = this.#random.pick(uniqueTypes);
    const { unique = '', values = {} } = worldTypes[type] ?? {};
    const properties = { ...this.#values(type), [unique]: values[unique]?.(this.#random) };
    return { operation: 'upsert', type, id: this.#label(type), properties, links: this.#inline(state, type) };
  }

  #values(type: string): Values {
    const { values = {}, always = [] } = worldTypes[type] ?? {};
    const named = Object.keys(values).filter((name) => always.includes(name) || this.#random.chance(0.7));
    return Object.fromEntries(named.map((name) => [name, values[name]?.(this.#random)]));
  }

  /** Links in the body; now and then one of them twice, or two where there can be one. */
  #inline(state: LinkState, type: string): readonly LinkItem[] {
    const random = this.#random;
    const names = associationsFrom(type);
    if (names.length === 0 || random.chance(0.4)) return [];
    const links = random
      .some(names, random.between(1, 3))
      .map((association) => ({ association, target: this.#target(state, association) }))
      .filter(({ target }) => target !== nobody || random.chance(0.05));
    const [first] = links;
    if (first === undefined || random.chance(0.9)) return links;
    return [...links, random.chance(0.5) ? first : { ...first, target: this.#target(state, first.association) }];
  }

  #target(state: LinkState, association: string): string {
    const { targets = [] } = worldAssociations[association] ?? {};
    return this.#live(state, this.#populated(state, targets));
  }

  #update(state: LinkState): Item {
    const random = this.#random;
    const type = this.#populated(state);
    const id = this.#live(state, type);
    const { values = {}, always = [] } = worldTypes[type] ?? {};
    const names = random.some(Object.keys(values), random.between(1, 2));
    const before = state.find(id)?.values ?? {};
    const next = (name: string) => {
      if (random.chance(0.2)) return before[name] ?? null;
      if (random.chance(0.2) && !always.includes(name)) return null;
      return values[name]?.(random);
    };
    const properties = Object.fromEntries(names.map((name) => [name, next(name)]));
    const kept = Object.entries(properties).filter(([name, value]) => value !== null || !always.includes(name));
    return { operation: 'update', type, id, properties: Object.fromEntries(kept) };
  }

  /** From stage to stage. */
  #move(state: LinkState): Item {
    const sources = stageAssociations.flatMap((name) => worldAssociations[name]?.sources ?? []);
    const type = this.#populated(state, sources);
    const id = this.#live(state, type);
    const association = this.#random.pick(stageAssociations.filter((name) => associationsFrom(type).includes(name)));
    return { operation: 'associate', type, id, association, target: this.#target(state, association) };
  }

  /** A call with a person or about a deal. */
  #activity(state: LinkState): Item {
    const id = this.#live(state, 'svc_call');
    const association = this.#random.pick(['svc_activity_to_contact', 'svc_activity_to_deal']);
    return { operation: 'associate', type: 'svc_call', id, association, target: this.#target(state, association) };
  }

  #associate(state: LinkState): Item {
    const random = this.#random;
    const type = this.#populated(
      state,
      types.filter((each) => associationsFrom(each).length > 0),
    );
    const id = this.#live(state, type);
    const [again] = random.some(
      state.from(id).filter((link) => state.isSeen(link)),
      1,
    );
    if (again !== undefined && random.chance(0.12)) {
      return { operation: 'associate', type, id, association: again.association, target: again.target };
    }
    const association = random.pick(associationsFrom(type));
    const target = this.#target(state, association);
    // The contract does not say what happens to a link of a record to itself in a merge.
    return { operation: 'associate', type, id, association, target: target === id ? nobody : target };
  }

  #dissociate(state: LinkState): Item {
    const random = this.#random;
    const linked = types.flatMap((type) => state.live(type)).flatMap((label) => state.from(label));
    const seen = linked.filter((link) => state.isSeen(link));
    if (seen.length === 0 || random.chance(0.15)) {
      const item = this.#associate(state) as Extract<Item, { operation: 'associate' | 'dissociate' }>;
      return { ...item, operation: 'dissociate' };
    }
    const { source: id, association, target } = random.pick(seen);
    return { operation: 'dissociate', type: state.get(id).type, id, association, target };
  }

  #delete(state: LinkState): Item {
    const random = this.#random;
    const type = this.#populated(state, random.chance(0.25) ? stageTypes : types);
    // Most stages are in use, and few of those that are not would be met by chance.
    const unused = state.live(type).filter((label) => !state.inUse(label));
    const id = unused.length > 0 && random.chance(0.7) ? random.pick(unused) : this.#live(state, type);
    return { operation: 'delete', type, id };
  }

  #restore(state: LinkState): Item {
    const trashed = types.flatMap((type) => state.trash(type).map((id) => ({ type, id })));
    if (trashed.length === 0) return this.#create(state);
    const { type, id } = this.#random.pick(trashed);
    // Now and then one that is live already.
    return { operation: 'restore', type, id: this.#random.chance(0.05) ? this.#live(state, type) : id };
  }

  #merge(state: LinkState): Item {
    const random = this.#random;
    const several = types.filter((type) => state.live(type).length > 1);
    if (several.length === 0) return this.#create(state);
    const type = random.pick(several);
    const [id = nobody, duplicate = nobody] = random.some(state.live(type), 2);
    return { operation: 'merge', type, id, duplicate: random.chance(0.02) ? id : duplicate };
  }

  /** Steps that must be refused and change nothing. */
  #refused(state: LinkState): Item {
    const random = this.#random;
    const item = this.#associate(state) as Extract<Item, { operation: 'associate' | 'dissociate' }>;
    const elsewhere = types.filter((type) => !(worldAssociations[item.association]?.targets ?? []).includes(type));
    const targets = (worldAssociations[item.association]?.targets ?? []).flatMap((type) => state.trash(type));
    const foreign = Object.keys(worldAssociations).filter((name) => !associationsFrom(item.type).includes(name));
    const both = random.chance(0.5) ? ({ operation: 'associate' } as const) : ({ operation: 'dissociate' } as const);
    return random.oneOf<Item>(
      () => ({ ...item, ...both, target: nobody }),
      () => ({ ...item, ...both, target: this.#live(state, this.#populated(state, elsewhere)) }),
      () => ({ ...item, ...both, target: targets.length === 0 ? nobody : random.pick(targets) }),
      () => ({ ...item, ...both, association: random.pick(foreign) }),
      () => ({ ...item, ...both, id: nobody }),
      () => ({ operation: 'delete', type: item.type, id: random.pick([nobody, ...state.trash(item.type)]) }),
      () => ({ operation: 'merge', type: item.type, id: item.id, duplicate: nobody }),
      () => ({ operation: 'update', type: 'svc_stage_timer', id: nobody, properties: {} }),
      () => ({ operation: 'delete', type: 'svc_stage_timer', id: nobody }),
      () => ({ operation: 'restore', type: item.type, id: nobody }),
    );
  }
}
