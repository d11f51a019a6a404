// Replays the examples of the OpenAPI document: an org with the records that they name, ids and cursors of that org in
// place of theirs, and the comparison of an example with the real answer.
import { expect } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import {
  company,
  contact,
  deal,
  exampleCursor,
  exampleExternalId,
  exampleIds,
  smallDeal,
} from '../../../src/operations/examples/records.ts';
import type { Example, Operation } from '../../../src/operations/operation.ts';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import type { TestService } from '../service.ts';

export interface World {
  readonly service: TestService;
  readonly orgId: number;
  readonly client: Client;
  /** The ids of the org, by those of the examples. */
  readonly ids: ReadonlyMap<string, string>;
}

type Values = Readonly<Record<string, unknown>>;

export async function createWorld(service: TestService): Promise<World> {
  const orgId = await service.createOrg();
  const client = service.client((await service.createKey(orgId)).key);
  const stages = await client.post('/objects/svc_deal_pipeline_stage/records/query/', {});
  const stage = (name: string): string =>
    stages.body.data.find(({ properties }: { properties: Values }) => properties['svc_name'] === name).id;
  const [discovery, proposal] = [stage('Discovery'), stage('Proposal')];
  const { svc_first_name, svc_last_name } = contact.properties;
  const named = (address: string) => ({ svc_first_name, svc_last_name, svc_email: [address] });
  const sell = (ref: string, properties: Values, target_id: string) =>
    create('svc_deal', ref, properties, [
      { association_type: 'svc_deal_to_company', target_id: { ref: 'company' } },
      { association_type: 'svc_deal_to_contact', target_id: { ref: 'contact' } },
      { association_type: 'svc_deal_to_deal_pipeline_stage', target_id },
    ]);
  const { status, text, body } = await client.post('/batch/', {
    operations: [
      create('svc_company', 'company', company.properties),
      {
        ...create('svc_contact', 'contact', contact.properties, [
          { association_type: 'svc_contact_to_company', target_id: { ref: 'company' } },
        ]),
        external_ids: [exampleExternalId],
      },
      create('svc_contact', 'duplicate', named('i.carvalho@brightwater.example')),
      create('svc_contact', 'deletedContact', named('ines@deleted.example')),
      sell('deal', deal.properties, discovery),
      sell('smallDeal', smallDeal.properties, proposal),
      { operation: 'delete', object_type: 'svc_contact', id: { ref: 'deletedContact' } },
    ],
  });
  expect(status, text).toBe(200);
  const made = ['company', 'contact', 'duplicate', 'deletedContact', 'deal', 'smallDeal'] as const;
  const ids = new Map<string, string>([
    [exampleIds.discovery, discovery],
    [exampleIds.proposal, proposal],
    ...made.map((name, index) => [exampleIds[name], body.data.results[index].id] as const),
  ]);
  return { service, orgId, client, ids };
}

/** An item that makes a record with what can be written of an example. */
function create(object_type: string, ref: string, properties: Values, associations: readonly unknown[] = []) {
  const { svc_created_at, svc_updated_at, ...written } = properties;
  return { operation: 'create', object_type, properties: written, associations, ref };
}

/** Sends the example with ids of the world, and the cursor of the previous page. */
export async function sendExample(operation: Operation, example: Example, world: World): Promise<Answer> {
  const own = await textIn(world, operation, example, JSON.stringify(example));
  return send(operation, JSON.parse(own) as Example, world.client);
}

/** A text about the example with ids of the world, and the cursor of the previous page. */
export async function textIn(world: World, operation: Operation, example: Example, text: string): Promise<string> {
  const own = JSON.parse(withIds(JSON.stringify(example), world.ids)) as Example;
  if (!JSON.stringify(own).includes(exampleCursor)) return withIds(text, world.ids);
  // The first page of changes is a short one, so that something comes after it.
  const paged = operation.id === 'listChanges' ? { query: { limit: '1' } } : withoutCursor(own);
  const answer = await send(operation, paged, world.client);
  expect(answer.status, answer.text).toBe(200);
  const cursor = answer.body.pagination?.next_cursor ?? '';
  expect(cursor, 'there is a next page').not.toBe('');
  return withIds(text, world.ids).replaceAll(exampleCursor, cursor);
}

function withIds(text: string, ids: ReadonlyMap<string, string>): string {
  return [...ids].reduce((sent, [shown, real]) => sent.replaceAll(shown, real), text);
}

function withoutCursor({ query, body, ...rest }: Partial<Example>): Partial<Example> {
  const without = <T extends object>(values: T): T => ({ ...values, cursor: undefined });
  return {
    ...rest,
    ...(query === undefined ? {} : { query: JSON.parse(JSON.stringify(without(query))) }),
    ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(without(body as object))) }),
  };
}

function send(
  { method, path }: Operation,
  { path: places = {}, query, headers = {}, body }: Partial<Example>,
  client: Client,
) {
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(places[name] ?? ''));
  const target = query === undefined ? filled : `${filled}?${new URLSearchParams(query).toString()}`;
  return body === undefined ? client.call(method, target, { headers }) : client.send(method, target, body, headers);
}

/** Members whose values name something: any will do, if the same name always means the same thing. */
const naming = new Set(['id', 'principal_id', 'request_id', 'x-request-id']);
const opaque = new Set(['next_cursor', 'changes_cursor', 'org_id']);
const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const momentForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The differences between the real answer and the example, apart from ids, cursors and times. */
export class Comparison {
  readonly #excerpt: boolean;
  /** Names of the example and of the org, in both directions. */
  readonly #realOf: Map<string, string>;
  readonly #shownOf: Map<string, string>;

  constructor(ids: ReadonlyMap<string, string>, how: 'whole' | 'excerpt') {
    this.#excerpt = how === 'excerpt';
    this.#realOf = new Map(ids);
    this.#shownOf = new Map([...ids].map(([shown, real]) => [real, shown]));
  }

  differences(shown: Json, real: Json, at = ''): readonly string[] {
    const name = at.slice(at.lastIndexOf('/') + 1);
    if (typeof shown === 'string' && typeof real === 'string') {
      return this.#isSameText(name, shown, real) ? [] : [`${at}: ${shown} | ${real}`];
    }
    if (opaque.has(name) && typeof shown === typeof real && (shown === null) === (real === null)) return [];
    if (Array.isArray(shown) && Array.isArray(real)) return this.#inList(shown, real, at);
    if (isPlainObject(shown) && isPlainObject(real)) return this.#inObject(shown, real, at);
    return shown === real ? [] : [`${at}: ${JSON.stringify(shown)} | ${JSON.stringify(real)}`];
  }

  #isSameText(name: string, shown: string, real: string): boolean {
    if (opaque.has(name)) return shown !== '' && real !== '';
    if (momentForm.test(shown)) return momentForm.test(real);
    if (naming.has(name) || idForm.test(shown)) {
      if (!this.#realOf.has(shown) && !this.#shownOf.has(real)) {
        this.#realOf.set(shown, real);
        this.#shownOf.set(real, shown);
      }
      return this.#realOf.get(shown) === real && this.#shownOf.get(real) === shown;
    }
    return withIds(shown, this.#realOf) === real;
  }

  #inList(shown: readonly Json[], real: readonly Json[], at: string): readonly string[] {
    if (!this.#excerpt) {
      const count = shown.length === real.length ? [] : [`${at}: ${shown.length} entries | ${real.length}`];
      return [
        ...count,
        ...shown.flatMap((each, index) => this.differences(each, real[index] ?? null, `${at}/${index}`)),
      ];
    }
    // Each entry comes after the one before it, with any others between them.
    let next = 0;
    return shown.flatMap((each, index) => {
      // A copy is asked, so that names are learnt only from the entry that is found.
      const isIt = (other: Json) => new Comparison(this.#realOf, 'excerpt').differences(each, other, at).length === 0;
      const found = real.findIndex((other, place) => place >= next && isIt(other));
      if (found < 0) return [`${at}/${index}: nothing like it was received in its place`];
      next = found + 1;
      return this.differences(each, real[found] ?? null, at);
    });
  }

  #inObject(shown: Readonly<Record<string, Json>>, real: Readonly<Record<string, Json>>, at: string) {
    const names = this.#excerpt ? Object.keys(shown) : [...new Set([...Object.keys(shown), ...Object.keys(real)])];
    return names.flatMap((name): readonly string[] => {
      const [one, other] = [shown[name], real[name]];
      if (one === undefined) return [`${at}/${name}: received, but not shown`];
      return other === undefined
        ? [`${at}/${name}: shown, but not received`]
        : this.differences(one, other, `${at}/${name}`);
    });
  }
}

function isPlainObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
