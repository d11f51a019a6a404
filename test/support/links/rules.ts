// The operations of the model of links, their answers, and the few rules that several of them share.
import type { LinkState, ModelLink } from './state.ts';
import { stageAssociations, type Values, valueText, worldAssociations } from './world.ts';

export interface LinkItem {
  readonly association: string;
  readonly target: string;
}

/** An operation on records, which are named by their labels. */
export type Item =
  | {
      readonly operation: 'create';
      readonly type: string;
      readonly id: string;
      readonly properties: Values;
      readonly links: readonly LinkItem[];
    }
  | {
      readonly operation: 'upsert';
      readonly type: string;
      /** The label of the record if one is made. */
      readonly id: string;
      readonly properties: Values;
      readonly links: readonly LinkItem[];
    }
  | { readonly operation: 'update'; readonly type: string; readonly id: string; readonly properties: Values }
  | { readonly operation: 'delete'; readonly type: string; readonly id: string }
  | { readonly operation: 'restore'; readonly type: string; readonly id: string }
  | { readonly operation: 'merge'; readonly type: string; readonly id: string; readonly duplicate: string }
  | ({ readonly operation: 'associate' | 'dissociate'; readonly type: string; readonly id: string } & LinkItem);

export interface Done {
  readonly status: 200 | 201;
  readonly record: string;
  readonly version: number;
  /** Whether a link was made or removed. */
  readonly changed?: boolean;
  /** The target that a link took the place of. */
  readonly replaced?: string;
  /** The place among all timers of the one that was written. */
  readonly timer?: number;
}

/** Each thing that is wrong, such as `404 target_unknown`; the answer may name any of them. */
interface Refused {
  readonly refusals: readonly string[];
}

export type Outcome = Done | Refused;

export function isRefused(outcome: Outcome): outcome is Refused {
  return 'refusals' in outcome;
}

export type ItemOf<O extends Item['operation']> = Extract<Item, { readonly operation: O }>;

/** Why the record cannot be written, if it cannot. */
export function recordFaults(
  state: LinkState,
  type: string,
  label: string,
  refs: ReadonlySet<string>,
): readonly string[] {
  const found = state.find(label);
  if (found === undefined && refs.has(label)) return ['422 unknown_ref'];
  return found?.live === true && found.type === type ? [] : ['404 record_unknown'];
}

/** The values with what is named set and cleared; the same object if that changes nothing. */
export function withChanges(values: Values, changes: Values): Values {
  const next: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || (Array.isArray(value) && value.length === 0)) delete next[name];
    else next[name] = value;
  }
  return valueText(next) === valueText(values) ? values : next;
}

/** The timer of a link that ends, if it was a stage: its place among all. */
export function leaveStage(state: LinkState, link: ModelLink, left: number): number | undefined {
  const { association, source: record, target: stage, joined } = link;
  if (worldAssociations[association]?.timers === undefined) return undefined;
  return state.timers.push({ record, association, stage, joined, left }) - 1;
}

/** By association types, as timers of one moment are written: it distinguishes them when nothing else does. */
export function inOrder(links: readonly ModelLink[]): readonly ModelLink[] {
  const place = ({ association }: ModelLink) => stageAssociations.indexOf(association);
  return links.toSorted((left, right) => place(left) - place(right));
}

/** Into the trash: the stages are left, and the links stay, unseen. */
export function discard(state: LinkState, label: string): void {
  const { version } = state.touch(label);
  for (const link of inOrder(state.from(label))) leaveStage(state, link, version);
  state.put({ ...state.get(label), live: false });
}
