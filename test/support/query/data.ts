// Fills an org with generated records and links, some hidden, some in the trash, and gives the model's copy of it as the
// service lists it, with callers of three sorts.
import { expect } from 'vitest';
import { fullGrant } from '../../../src/access/grant.ts';
import { item, runBatch, succeed } from '../batch.ts';
import type { Client } from '../client.ts';
import type { Random } from '../random.ts';
import { recordsPath } from '../records.ts';
import type { TestService } from '../service.ts';
import { Model } from './model.ts';
import { anyValue } from './pools.ts';
import { querySchema } from './schema.ts';
import {
  hiddenTypes,
  type ModelLink,
  type ModelPair,
  type ModelProperty,
  type ModelRecord,
  type ModelType,
} from './world.ts';

export interface QueryCaller {
  readonly name: string;
  readonly client: Client;
  readonly model: Model;
}

export interface QueryOrg {
  readonly orgId: number;
  readonly users: readonly string[];
  /** The types that the model knows. */
  readonly types: readonly string[];
  /** Sees everything; sees as one user; may not read `freelancer`. */
  readonly callers: readonly [QueryCaller, QueryCaller, QueryCaller];
}

type Sizes = Readonly<Record<string, number>>;

interface CatalogProperty extends ModelProperty {
  readonly read_only: boolean;
  readonly unique: boolean;
}

interface CatalogPair extends ModelPair {
  readonly direction: string;
  readonly cardinality: string;
}

/** Includes the default stages, so that deals can be linked to them. */
const stages = 'svc_deal_pipeline_stage';

export async function createQueryOrg(service: TestService, random: Random, sizes: Sizes): Promise<QueryOrg> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, querySchema);
  const users = [await service.createUser(orgId), await service.createUser(orgId)];
  const client = service.client((await service.createKey(orgId)).key);
  const names = [...Object.keys(sizes), stages];
  const catalog = new Map(await Promise.all(names.map(async (name) => [name, await typeOf(client, name)] as const)));
  const pairs = await pairsAmong(client, names);
  const ids = await createAll(client, random, catalog, sizes);
  ids.set(stages, await listIds(client, stages));
  const links = linksAmong(random, pairs, ids, { orgId, users });
  await connect(client, links, ids);
  const trashed = random.some(
    [...ids].filter(([name]) => name !== stages).flatMap(([, all]) => all),
    25,
  );
  await succeed(
    client,
    trashed.map((id) => item('delete', typeOfId(ids, id), { id })),
  );
  const records = await Promise.all(names.map((name) => listRecords(client, name)));
  const world = {
    types: catalog,
    pairs,
    records: new Map(records.flat().map((record) => [record.id, record] as const)),
    outgoing: grouped(links, 'source'),
    incoming: grouped(links, 'target'),
  };
  const offered = (await client.get('/objects/')).body.data as readonly { readonly name: string }[];
  const known = offered.map(({ name }) => name).filter((name) => name !== 'freelancer');
  const [user] = users;
  const keys = [
    await service.createKey(orgId, { userId: user ?? '', reach: 'user' }),
    await service.createKey(orgId, { grants: [{ ...fullGrant, objectTypes: known }] }),
  ];
  const caller = (name: string, by: Client, types: readonly string[], userId?: string): QueryCaller => ({
    name,
    client: by,
    model: new Model(world, { knows: (type) => types.includes(type), userId }),
  });
  const [asUser, partly] = keys.map(({ key }) => service.client(key)) as [Client, Client];
  const callers = [caller('org', client, names), caller('user', asUser, names, user), caller('partly', partly, known)];
  return { orgId, users, types: names, callers: callers as [QueryCaller, QueryCaller, QueryCaller] };
}

function grouped(links: readonly ModelLink[], by: 'source' | 'target'): ReadonlyMap<string, readonly ModelLink[]> {
  const groups = new Map<string, ModelLink[]>();
  for (const link of links) groups.set(link[by], [...(groups.get(link[by]) ?? []), link]);
  return groups;
}

async function typeOf(client: Client, name: string): Promise<ModelType> {
  const { body } = await client.get(`/objects/${name}/`);
  const properties = body.data.properties as readonly CatalogProperty[];
  return { name, properties: new Map(properties.map((property) => [property.name, property])) };
}

async function pairsAmong(client: Client, names: readonly string[]): Promise<readonly CatalogPair[]> {
  const lists = await Promise.all(names.map((name) => client.get(`/objects/${name}/associations/`)));
  const ends = [...names, ...hiddenTypes];
  return lists
    .flatMap(({ body }) => body.data as readonly CatalogPair[])
    .filter((pair) => pair.direction === 'outgoing' && ends.includes(pair.target_type));
}

/** Values for about two thirds of the properties; unique ones differ in how they begin. */
export function propertiesOf(random: Random, type: ModelType, place: number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const property of type.properties.values() as Iterable<CatalogProperty>) {
    if (property.read_only || random.chance(0.35)) continue;
    const options = property.options?.map((option) => option.value) ?? [];
    const one = (index: number) => {
      const value = anyValue(random, property.field_type, options);
      if (!property.unique) return value;
      return `${place}-${index}.${String(value).slice(-20)}`;
    };
    values[property.name] = property.multi_valued ? random.times(random.between(1, 4), one) : one(0);
  }
  return values;
}

async function createAll(
  client: Client,
  random: Random,
  catalog: ReadonlyMap<string, ModelType>,
  sizes: Sizes,
): Promise<Map<string, readonly string[]>> {
  const ids = new Map<string, readonly string[]>();
  for (const [name, count] of Object.entries(sizes)) {
    const type = catalog.get(name) as ModelType;
    const creates = random.times(count, (place) =>
      item('create', name, { properties: propertiesOf(random, type, place) }),
    );
    const answer = await runBatch(client, creates);
    expect(answer.status, answer.text.slice(0, 2_000)).toBe(200);
    ids.set(
      name,
      answer.body.data.results.map((result: { id: string }) => result.id),
    );
  }
  return ids;
}

/** Links at random; a sixth of the records is private, half of those to the one or the other user. */
function linksAmong(
  random: Random,
  pairs: readonly CatalogPair[],
  ids: ReadonlyMap<string, readonly string[]>,
  { orgId, users }: { readonly orgId: number; readonly users: readonly string[] },
): readonly ModelLink[] {
  const links = new Map<string, ModelLink>();
  const add = (name: string, source: string, target: string) =>
    links.set(`${name} ${source} ${target}`, { name, source, target });
  for (const [type, sources] of ids) {
    for (const source of sources) {
      const hidden = type !== stages && random.chance(1 / 6);
      if (!hidden) add('svc_record_to_org', source, String(orgId));
      if (random.chance(hidden ? 0.5 : 0.1)) add('svc_record_to_user', source, random.pick(users));
    }
  }
  for (const { name, source_type, target_type, cardinality } of pairs) {
    const targets = ids.get(target_type) ?? [];
    for (const source of targets.length === 0 || source_type === stages ? [] : (ids.get(source_type) ?? [])) {
      const most = cardinality === 'many_to_one' ? 1 : 3;
      for (const target of random.some(targets, random.between(0, most))) add(name, source, target);
    }
  }
  return [...links.values()];
}

/** Makes the links, and removes the org's link from records that have none among them. */
async function connect(client: Client, links: readonly ModelLink[], ids: ReadonlyMap<string, readonly string[]>) {
  const shared = new Set(links.filter(({ name }) => name === 'svc_record_to_org').map(({ source }) => source));
  const org = links.find(({ name }) => name === 'svc_record_to_org')?.target;
  const more = links
    .filter(({ name }) => name !== 'svc_record_to_org')
    .map(({ name, source, target }) =>
      item('associate', typeOfId(ids, source), { id: source, association_type: name, target_id: target }),
    );
  const fewer = [...ids.values()]
    .flat()
    .filter((id) => !shared.has(id))
    .map((id) => item('dissociate', typeOfId(ids, id), { id, association_type: 'svc_record_to_org', target_id: org }));
  const all = [...more, ...fewer];
  for (let start = 0; start < all.length; start += 1_000) await succeed(client, all.slice(start, start + 1_000));
}

function typeOfId(ids: ReadonlyMap<string, readonly string[]>, id: string): string {
  return [...ids].find(([, all]) => all.includes(id))?.[0] ?? '';
}

/** All records of the type as the list gives them; it must give them in the order of their ids. */
async function listRecords(client: Client, type: string): Promise<readonly ModelRecord[]> {
  const records: ModelRecord[] = [];
  let query = 'limit=500';
  for (;;) {
    const { body } = await client.get(`${recordsPath(type)}?${query}`);
    records.push(...body.data);
    const next = body.pagination?.next_cursor ?? null;
    if (next === null) break;
    query = `limit=500&cursor=${next}`;
  }
  expect(records.map(({ id }) => id)).toEqual(records.map(({ id }) => id).sort());
  return records;
}

async function listIds(client: Client, type: string): Promise<readonly string[]> {
  return (await listRecords(client, type)).map(({ id }) => id);
}
