// How steps on links go over the wire: labels become ids, or refs within a batch, and each answer is compared with
// the model. It needs nothing but a way to send requests, so that a script without a test runner can use it.
import { type Done, type Item, isRefused, type Outcome } from './rules.ts';
import { isMaking, nobody, type Prediction, type Step } from './steps.ts';
import { worldTypes } from './world.ts';

export interface Reply {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
  readonly body: ReplyBody;
}

export interface ReplyBody {
  readonly data?: unknown;
  readonly reason?: string;
  readonly dry_run?: boolean;
  readonly errors?: readonly { readonly pointer?: string }[];
  readonly pagination?: { readonly next_cursor: string | null };
}

interface Sent {
  readonly method: string;
  /** Below /rest/v1. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Send = (request: Sent) => Promise<Reply>;

/** Requests to the service at the address with the key. */
export function sendTo(url: string, key: string): Send {
  return async ({ method, path, body, headers = {} }) => {
    const response = await fetch(`${url}/rest/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, etag: response.headers.get('etag'), text, body: JSON.parse(text) as ReplyBody };
  };
}

/** The ids of records and timers, as far as the service has named them. */
export class Binding {
  readonly #ids = new Map<string, string>([[nobody, '0195e7a0-0000-7000-8000-000000000000']]);
  readonly #labels = new Map<string, string>();
  /** By the places of the timers in the model. */
  readonly timers = new Map<number, string>();

  bind(label: string, id: string): void {
    this.#ids.set(label, id);
    this.#labels.set(id, label);
  }

  id(label: string): string {
    return this.#ids.get(label) ?? `an unknown id of ${label}`;
  }

  knows(label: string): boolean {
    return this.#ids.has(label);
  }

  /** The label, or the id itself if it is of no record that the model has. */
  label(id: string | undefined): string {
    return this.#labels.get(id ?? '') ?? String(id);
  }
}

export function requestOf(binding: Binding, step: Step, { outcomes, version }: Prediction): Sent {
  const [item] = step.items;
  if (item === undefined) throw new Error('A step without items.');
  const dry: Record<string, string> = step.dry === true ? { 'svc-dry-run': 'true' } : {};
  if (step.way !== 'single') {
    const body = { atomic: step.way === 'atomic', operations: batchItems(binding, step.items, outcomes) };
    return { method: 'POST', path: '/batch/', body, headers: dry };
  }
  const tags = { current: `"${version}"`, stale: `"${version + 7}"` };
  const headers = { ...dry, ...(step.onlyIf === undefined ? {} : { 'if-match': tags[step.onlyIf] }) };
  return { ...singleRequest(binding, item), headers };
}

function singleRequest(binding: Binding, item: Item): Sent {
  const records = `/objects/${item.type}/records/`;
  const path = `${records}${binding.id(item.id)}/`;
  switch (item.operation) {
    case 'create':
    case 'upsert': {
      const associations = item.links.map((link) => wireLink(link, (label) => binding.id(label)));
      const body = { properties: item.properties, ...(associations.length === 0 ? {} : { associations }) };
      if (item.operation === 'create') return { method: 'POST', path: records, body };
      return { method: 'PUT', path: `${records}?match=${worldTypes[item.type]?.unique}`, body };
    }
    case 'update':
      return { method: 'PATCH', path, body: { properties: item.properties } };
    case 'delete':
      return { method: 'DELETE', path };
    case 'associate':
    case 'dissociate': {
      const method = item.operation === 'associate' ? 'PUT' : 'DELETE';
      return { method, path: `${path}associations/${item.association}/${binding.id(item.target)}/` };
    }
    default:
      throw new Error(`${item.operation} has no request of its own.`);
  }
}

type Name = string | { readonly ref: string };

function wireLink({ association, target }: { association: string; target: string }, find: (label: string) => Name) {
  return { association_type: association, target_id: find(target) };
}

/** Records that the batch makes are named by refs, and every other time those that it has named, too. */
function batchItems(binding: Binding, items: readonly Item[], outcomes: readonly Outcome[]): readonly object[] {
  const named = new Map<string, string>();
  return items.map((item, index) => {
    const find = (label: string): Name => {
      const ref = named.get(label);
      if (!binding.knows(label)) return { ref: ref ?? label };
      return ref === undefined || index % 2 === 0 ? binding.id(label) : { ref };
    };
    const wire = wireItem(item, find);
    const ref = isMaking(item) ? item.id : `item ${index}`;
    const outcome = outcomes[index];
    if (outcome !== undefined && !isRefused(outcome)) named.set(outcome.record, ref);
    return { ...wire, ref };
  });
}

function wireItem(item: Item, find: (label: string) => Name): object {
  const { operation, type: object_type } = item;
  switch (item.operation) {
    case 'create':
    case 'upsert': {
      const match = item.operation === 'upsert' ? { match: worldTypes[item.type]?.unique } : {};
      const associations = item.links.map((link) => wireLink(link, find));
      return { operation, object_type, ...match, properties: item.properties, associations };
    }
    case 'update':
      return { operation, object_type, id: find(item.id), properties: item.properties };
    case 'merge':
      return { operation, object_type, id: find(item.id), duplicate_id: find(item.duplicate) };
    case 'associate':
    case 'dissociate':
      return { operation, object_type, id: find(item.id), ...wireLink(item, find) };
    default:
      return { operation, object_type, id: find(item.id) };
  }
}

/** Differences from the model; the ids of new records are bound. */
export function judge(binding: Binding, step: Step, prediction: Prediction, reply: Reply): readonly string[] {
  const { outcomes, refused } = prediction;
  const last = outcomes.at(-1);
  if (refused && last !== undefined && isRefused(last)) {
    const findings = refusalFindings(last.refusals, `${reply.status} ${reply.body.reason}`, reply.text);
    const place = `/operations/${outcomes.length - 1}`;
    const pointers = (reply.body.errors ?? []).map(({ pointer }) => pointer ?? '');
    const misplaced = step.way === 'atomic' && pointers.some((pointer) => !`${pointer}/`.startsWith(`${place}/`));
    return misplaced ? [...findings, `the error is at ${place}, not at ${pointers.join()}`] : findings;
  }
  if ((reply.body.dry_run === true) !== (step.dry === true)) return [`dry_run is wrong: ${reply.text}`];
  if (step.way === 'single') return singleFindings(binding, step, last as Done, reply);
  return batchFindings(binding, step, outcomes, reply);
}

function refusalFindings(refusals: readonly string[], told: string, text: string): readonly string[] {
  return refusals.includes(told) ? [] : [`expected ${refusals.join(' or ')}, got ${told}: ${text}`];
}

function singleFindings(binding: Binding, step: Step, outcome: Done, reply: Reply): readonly string[] {
  const [item] = step.items;
  if (item === undefined || reply.status !== outcome.status) {
    return [`expected ${outcome.status}, got ${reply.status} ${reply.text}`];
  }
  const data = reply.body.data as Readonly<Record<string, unknown>>;
  if (item.operation === 'associate' || item.operation === 'dissociate') {
    return linkAnswerFindings(binding, step, outcome, reply);
  }
  const id = String(data['id']);
  if (outcome.status === 201 && step.dry !== true) binding.bind(outcome.record, id);
  const same = step.dry === true && outcome.status === 201 ? true : id === binding.id(outcome.record);
  if (item.operation === 'delete')
    return same && data['deleted'] === true ? [] : [`deleted something else: ${reply.text}`];
  const version = String(outcome.version);
  if (!same || data['version'] !== version || reply.etag !== `"${version}"`) {
    return [`expected ${outcome.record} at version ${version}, got ${reply.text} with ETag ${reply.etag}`];
  }
  return [];
}

function linkAnswerFindings(binding: Binding, step: Step, outcome: Done, reply: Reply): readonly string[] {
  const item = step.items[0] as Extract<Item, { readonly association: string }>;
  const data = reply.body.data as {
    readonly source: { readonly object_type: string; readonly id: string };
    readonly target: { readonly id: string };
    readonly association_type: string;
    readonly changed: boolean;
    readonly replaced_target_id?: string;
    readonly stage_timer_id?: string;
  };
  const told = [
    data.association_type,
    `${data.source.object_type} ${binding.label(data.source.id)}`,
    binding.label(data.target.id),
    `changed: ${data.changed}`,
    data.replaced_target_id === undefined ? 'nothing replaced' : binding.label(data.replaced_target_id),
    data.stage_timer_id === undefined ? 'no timer' : 'a timer',
  ].join(', ');
  const expected = [
    item.association,
    `${item.type} ${item.id}`,
    item.target,
    `changed: ${outcome.changed}`,
    outcome.replaced ?? 'nothing replaced',
    outcome.timer === undefined ? 'no timer' : 'a timer',
  ].join(', ');
  if (told !== expected) return [`expected ${expected}; got ${told}`];
  if (outcome.timer !== undefined && step.dry !== true) binding.timers.set(outcome.timer, data.stage_timer_id ?? '');
  return [];
}

interface ItemReply {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly version?: string;
  readonly problem?: { readonly reason?: string };
}

function batchFindings(binding: Binding, step: Step, outcomes: readonly Outcome[], reply: Reply): readonly string[] {
  const failed = outcomes.filter(isRefused).length;
  const status = failed === 0 ? 200 : 207;
  const data = reply.body.data as
    | { readonly results: readonly ItemReply[]; readonly succeeded: number; readonly failed: number }
    | undefined;
  if (reply.status !== status || data === undefined) return [`expected ${status}, got ${reply.status} ${reply.text}`];
  const counts = data.failed === failed && data.succeeded === outcomes.length - failed;
  const findings = outcomes.flatMap((outcome, index) => {
    const result = data.results[index];
    const told = `${result?.status} ${result?.problem?.reason ?? `version ${result?.version}`}`;
    if (result?.index !== index) return [`result ${index} is missing: ${reply.text}`];
    if (isRefused(outcome)) {
      return refusalFindings(outcome.refusals, told, JSON.stringify(result)).map((each) => `item ${index}: ${each}`);
    }
    if (outcome.status === 201 && step.dry !== true) binding.bind(outcome.record, result.id ?? '');
    const fresh = step.dry === true && !binding.knows(outcome.record);
    const same = fresh || result.id === binding.id(outcome.record);
    const version = step.items[index]?.operation === 'delete' ? undefined : String(outcome.version);
    const expected = `${outcome.status} version ${version}`;
    return told === expected && same
      ? []
      : [`item ${index}: expected ${expected} of ${outcome.record}, got ${JSON.stringify(result)}`];
  });
  return counts ? findings : [...findings, `the counts are wrong: ${reply.text}`];
}
