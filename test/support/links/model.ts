// The rules of links and stages as the contract has them (5 and 6), on records in memory: the answer and
// the effect of each operation. It knows nothing of times; those are compared with each other when they are read.
import { mergeItem } from './merge.ts';
import {
  discard,
  type Item,
  type ItemOf,
  type LinkItem,
  leaveStage,
  type Outcome,
  recordFaults,
  withChanges,
} from './rules.ts';
import type { LinkState, ModelRecord } from './state.ts';
import { noteStatus, type Values, worldAssociations, worldTypes } from './world.ts';

/** The outcome of one item. `refs` are the names that items of the same batch have given, also those that failed. */
export function applyItem(state: LinkState, item: Item, refs: ReadonlySet<string>): Outcome {
  if (item.type === 'svc_stage_timer') return { refusals: ['403 type_is_read_only'] };
  switch (item.operation) {
    case 'create':
      return createItem(state, item, refs);
    case 'upsert':
      return upsertItem(state, item, refs);
    case 'restore':
      return restoreItem(state, item, refs);
    default: {
      const refusals = recordFaults(state, item.type, item.id, refs);
      if (item.operation === 'merge') return mergeItem(state, item, refs, refusals);
      if (item.operation === 'delete') return deleteItem(state, item, refusals);
      if (item.operation === 'update') return updateItem(state, item, refusals);
      return linkItem(state, item, [...refusals, ...linkFaults(state, item.type, [item], refs)]);
    }
  }
}

function linkFaults(
  state: LinkState,
  type: string,
  links: readonly LinkItem[],
  refs: ReadonlySet<string>,
): readonly string[] {
  const faults = links.flatMap(({ association, target }) => {
    const declared = worldAssociations[association];
    if (declared?.sources.includes(type) !== true) return ['404 association_type_unknown'];
    const found = state.find(target);
    if (found === undefined && refs.has(target)) return ['422 unknown_ref'];
    return found?.live === true && declared.targets.includes(found.type) ? [] : ['404 target_unknown'];
  });
  const single = new Map<string, string>();
  for (const { association, target } of links) {
    if (worldAssociations[association]?.toOne !== true) continue;
    const other = single.get(association);
    if (other !== undefined && other !== target) faults.push('400 invalid_member');
    single.set(association, target);
  }
  return faults;
}

/** The live records, other than this one, that have one of the unique values. */
function holders(state: LinkState, type: string, values: Values, label?: string): readonly string[] {
  const property = worldTypes[type]?.unique;
  const wanted = property === undefined ? [] : [values[property] ?? []].flat();
  if (property === undefined || wanted.length === 0) return [];
  return state
    .live(type)
    .filter(
      (each) => each !== label && [state.get(each).values[property] ?? []].flat().some((one) => wanted.includes(one)),
    );
}

function takenFaults(state: LinkState, type: string, values: Values, label?: string): readonly string[] {
  return holders(state, type, values, label).length > 0 ? ['409 unique_value_taken'] : [];
}

function createItem(state: LinkState, item: ItemOf<'create' | 'upsert'>, refs: ReadonlySet<string>): Outcome {
  const { type, id: label, properties, links } = item;
  const values = withChanges({}, properties);
  const refusals = [...linkFaults(state, type, links, refs), ...takenFaults(state, type, values)];
  if (refusals.length > 0) return { refusals };
  state.put({ label, type, born: state.count, version: 1, live: true, values });
  makeLinks(state, state.get(label), links);
  const status = type === 'svc_note' && state.from(label, noteStatus).length === 0 ? firstStatus(state) : undefined;
  if (status !== undefined) makeLinks(state, state.get(label), [{ association: noteStatus, target: status }]);
  return { status: 201, record: label, version: 1 };
}

/** Where notes begin: the status of the lowest position, the oldest of them. */
function firstStatus(state: LinkState): string | undefined {
  const place = (record: ModelRecord) => Number(record.values['svc_position']);
  const statuses = state.live('svc_note_pipeline_stage').map((label) => state.get(label));
  return statuses.sort((left, right) => place(left) - place(right) || left.born - right.born)[0]?.label;
}

interface MadeLinks {
  readonly changed: boolean;
  readonly replaced?: string;
  readonly timer?: number;
}

/** Makes those links that do not exist; the record already has its new version. */
function makeLinks(state: LinkState, { label, version }: ModelRecord, links: readonly LinkItem[]): MadeLinks {
  let made: MadeLinks = { changed: false };
  for (const { association, target } of links) {
    if (state.has(label, association, target)) continue;
    const former = worldAssociations[association]?.toOne === true ? state.from(label, association)[0] : undefined;
    const timer = former === undefined ? undefined : leaveStage(state, former, version);
    if (former !== undefined) state.remove(former);
    state.add({ association, source: label, target, joined: timer !== undefined, since: version });
    // Records in the trash are not named.
    const told = former !== undefined && state.isLive(former.target);
    made = {
      changed: true,
      ...(told ? { replaced: former.target } : {}),
      ...(timer === undefined ? {} : { timer }),
    };
  }
  return made;
}

function updateItem(state: LinkState, { id, properties }: ItemOf<'update'>, refusals: readonly string[]): Outcome {
  if (refusals.length > 0) return { refusals };
  return changeRecord(state, state.get(id), properties, []);
}

/** Values and links in one write, which makes one version. */
function changeRecord(state: LinkState, record: ModelRecord, properties: Values, links: readonly LinkItem[]): Outcome {
  const { label, type } = record;
  const values = withChanges(record.values, properties);
  const refusals = takenFaults(state, type, values, label);
  if (refusals.length > 0) return { refusals };
  const fresh = links.filter(({ association, target }) => !state.has(label, association, target));
  const next = values === record.values && fresh.length === 0 ? record : state.touch(label, values);
  return { status: 200, record: label, version: next.version, ...makeLinks(state, next, fresh) };
}

function upsertItem(state: LinkState, item: ItemOf<'upsert'>, refs: ReadonlySet<string>): Outcome {
  const { type, properties, links } = item;
  const [found, second] = holders(state, type, properties);
  const refusals = linkFaults(state, type, links, refs);
  if (second !== undefined) return { refusals: [...refusals, '409 multiple_matches'] };
  if (found === undefined) return createItem(state, item, refs);
  if (refusals.length > 0) return { refusals };
  return changeRecord(state, state.get(found), properties, links);
}

function linkItem(state: LinkState, item: ItemOf<'associate' | 'dissociate'>, refusals: readonly string[]): Outcome {
  if (refusals.length > 0) return { refusals };
  const { id, association, target, operation } = item;
  if (operation === 'associate') return changeRecord(state, state.get(id), {}, [{ association, target }]);
  const link = state.from(id, association).find((each) => each.target === target);
  if (link === undefined) return { status: 200, record: id, version: state.get(id).version, changed: false };
  const { version } = state.touch(id);
  const timer = leaveStage(state, link, version);
  state.remove(link);
  return { status: 200, record: id, version, changed: true, ...(timer === undefined ? {} : { timer }) };
}

function deleteItem(state: LinkState, { id }: ItemOf<'delete'>, refusals: readonly string[]): Outcome {
  const faults = [...refusals, ...(state.inUse(id) ? ['409 stage_in_use'] : [])];
  if (faults.length > 0) return { refusals: faults };
  discard(state, id);
  return { status: 200, record: id, version: state.get(id).version };
}

function restoreItem(state: LinkState, item: ItemOf<'restore'>, refs: ReadonlySet<string>): Outcome {
  const { id, type } = item;
  const found = state.find(id);
  if (found === undefined || found.type !== type || found.live) {
    const refusals = recordFaults(state, type, id, refs);
    return refusals.length > 0 ? { refusals } : { status: 200, record: id, version: state.get(id).version };
  }
  const refusals = takenFaults(state, type, found.values, id);
  if (refusals.length > 0) return { refusals };
  const { version } = state.touch(id);
  state.put({ ...state.get(id), live: true });
  for (const link of state.from(id)) {
    if (worldAssociations[link.association]?.timers === undefined) continue;
    // The stage is entered again, unless it has been deleted by now.
    state.remove(link);
    if (state.isLive(link.target)) state.add({ ...link, joined: false, since: version });
  }
  return { status: 200, record: id, version };
}
