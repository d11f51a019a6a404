// Copies kept by `sync`: exact in the end, whatever writers do meanwhile, however often the reader is killed, and even when
// its place in the feed has expired.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Change,
  type CopiedRecord,
  createClient,
  MemoryStore,
  OrreryProblem,
  type SyncOptions,
  type SyncStep,
  sync,
} from '../../client/main.ts';
import { applyChange } from '../../client/sync-changes.ts';
import { sleep } from '../../src/base/clock.ts';
import { checkedClient, forgetChanges, Killed, MortalStore } from '../support/client/harness.ts';
import { differences, lineOf, linkText } from '../support/feed/copy.ts';
import { copiedLinks, copiedTypes, makeWorld, WriterNotes, writeMarkers } from '../support/feed/world.ts';
import { runWriters } from '../support/feed/writers.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { linkPath, plainSend, readList, type Send } from '../support/plain-requests.ts';
import { Random } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function newKey(): Promise<string> {
  return (await service.createKey(await service.createOrg({ quota: 1_000_000, windowSeconds: 60 }))).key;
}

const allLinks = Object.values(copiedLinks).flat();

/** A fresh read: all records, and the links of the copied types. */
async function fresh(key: string, types: readonly string[], names: readonly string[] = []) {
  const send = plainSend(service.url, key);
  const lines: string[] = [];
  const links: string[] = [];
  for (const type of types) {
    const include = names.filter((each) => copiedLinks[type]?.includes(each)).join();
    const records = await readList(send, type, `limit=500${include === '' ? '' : `&include=${include}`}`);
    lines.push(...records.map(lineOf));
    for (const { id, associations = {} } of records) {
      for (const [name, { items, next_cursor: next }] of Object.entries(associations)) {
        if (next === null) links.push(...items.map((target) => linkText(name, id, target.id)));
        else links.push(...(await linksFrom(send, type, id, name)));
      }
    }
  }
  return { lines: lines.sort(), links: links.sort() };
}

async function linksFrom(send: Send, type: string, id: string, name: string): Promise<readonly string[]> {
  const { status, body, text } = await send('GET', `${linkPath(type, id, name)}?limit=500&direction=outgoing`);
  if (status !== 200 || body.pagination?.next_cursor !== null) throw new Error(`links of ${id}: ${text.slice(0, 200)}`);
  return (body.data as { id: string }[]).map((target) => linkText(name, id, target.id));
}

function held({ records, links }: MemoryStore) {
  return {
    lines: [...records.values()].map((record) => lineOf(record)).sort(),
    links: [...links]
      .flatMap(([id, types]) =>
        [...types].flatMap(([name, targets]) => targets.map((target) => linkText(name, id, target))),
      )
      .sort(),
  };
}

async function catchUp(key: string, options: SyncOptions): Promise<readonly SyncStep[]> {
  const steps: SyncStep[] = [];
  for await (const step of sync(checkedClient(service, key), options)) {
    steps.push(step);
    if (step.isCaughtUp) return steps;
  }
  throw new Error('A sync has no end of its own.');
}

/** Follows until it is stopped, and starts again whenever it is killed. */
async function follow(key: string, seed: number, options: Omit<SyncOptions, 'store'>, isOver: () => boolean) {
  const store = new MortalStore(new Random(seed));
  for (let lives = 0; lives < 1_000; lives++) {
    try {
      const client = checkedClient(service, key);
      for await (const { isCaughtUp } of sync(client, { waitSeconds: 1, pageSize: 4, ...options, store })) {
        if (isOver() && isCaughtUp) return store;
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
  throw new Error('It never caught up.');
}

test('under twelve writers each copy is exact at the end, however often it was killed', async () => {
  const key = await newKey();
  const send = plainSend(service.url, key);
  const world = await makeWorld(send);
  const notes = new WriterNotes();
  const endsAtMs = performance.now() + 800;
  let isOver = false;
  let serial = 0;
  const hand = (index: number) => {
    return { send, world, notes, random: new Random(900 + index), token: () => `t${index}x${serial++}` };
  };
  const writing = runWriters(hand, () => performance.now() > endsAtMs && notes.requests >= 120);
  const begin = (seed: number, options: Omit<SyncOptions, 'store'>) => follow(key, seed, options, () => isOver);
  const dealLinks = copiedLinks['svc_deal'] ?? [];
  const linked = begin(1, { objectTypes: copiedTypes, associations: allLinks });
  await sleep(500);
  const deals = begin(2, { objectTypes: ['svc_deal'], associations: dealLinks });
  const contacts = begin(3, { objectTypes: ['svc_contact'] });
  await writing;
  await writeMarkers(send, world);
  isOver = true;
  const findings = [...notes.findings];
  let killed = 0;
  const check = async (
    name: string,
    { copy, kills }: MortalStore,
    types: readonly string[],
    names: readonly string[],
  ) => {
    // It may have been caught up just before the last write.
    await catchUp(key, { objectTypes: types, associations: names, store: copy });
    const real = await fresh(key, types, names);
    findings.push(
      ...differences(name, held(copy).lines, real.lines),
      ...differences(name, held(copy).links, real.links),
    );
    killed += kills;
    return real;
  };
  const { links } = await check('the copy with links', await linked, copiedTypes, allLinks);
  await check('the copy of deals', await deals, ['svc_deal'], dealLinks);
  await check('the copy of contacts', await contacts, ['svc_contact'], []);
  expect(findings.slice(0, 10)).toEqual([]);
  // Enough happened for the test to be meaningful.
  expect(links.length).toBeGreaterThan(10);
  expect(killed).toBeGreaterThan(5);
});

test('after its place has expired, a sync loads everything again and removes what was deleted meanwhile', async () => {
  const key = await newKey();
  const client = checkedClient(service, key);
  const contacts = client.records('svc_contact');
  const company = (await client.records('svc_company').create({ svc_name: 'Analytical Engines' })).data.id;
  const works = [{ association_type: 'svc_contact_to_company', target_id: company }];
  const ids: string[] = [];
  for (const name of ['stays', 'changes', 'goes']) {
    ids.push(
      (await contacts.create({ svc_last_name: name, svc_email: [`${name}@example.com`] }, { associations: works })).data
        .id,
    );
  }
  const [stays = '', changes = '', goes = ''] = ids;
  const options = {
    objectTypes: ['svc_contact', 'svc_company'],
    associations: ['svc_contact_to_company'],
    pageSize: 2,
    store: new MemoryStore(),
  };
  await catchUp(key, options);
  expect(options.store.links.get(goes)?.get('svc_contact_to_company')).toEqual([company]);
  await contacts.delete(goes);
  await contacts.update(changes, { svc_last_name: 'changed', svc_email: null });
  await contacts.deleteAssociation(changes, 'svc_contact_to_company', company);
  const came = (await contacts.create({ svc_last_name: 'came' })).data.id;
  // The copy is ahead of a database that was restored to an earlier state.
  const ahead = {
    ...(options.store.records.get(stays) ?? expect.fail()),
    version: '900',
    properties: { svc_last_name: 'ahead' },
  };
  options.store.records.set(stays, ahead);
  await forgetChanges(service, key);
  const steps = await catchUp(key, options);
  expect(steps.map(({ phase, sweep }) => `${phase}${sweep ? ' and sweep' : ''}`)).toEqual([
    'load',
    'load',
    'load',
    'load and sweep',
    'follow',
  ]);
  expect(held(options.store)).toEqual(await fresh(key, options.objectTypes, options.associations));
  expect([...options.store.records.keys()].sort()).toEqual([stays, changes, came, company].sort());
});

test('a record that a user can no longer see is removed from the copy, and comes back with its links', async () => {
  const orgId = await service.createOrg();
  const userId = await service.createUser(orgId);
  const whole = checkedClient(service, (await service.createKey(orgId)).key);
  const { key } = await service.createKey(orgId, { userId, reach: 'user' });
  const company = (await whole.records('svc_company').create({ svc_name: 'Analytical Engines' })).data.id;
  const works = { association_type: 'svc_contact_to_company', target_id: company };
  const contacts = whole.records('svc_contact');
  const { id } = (await contacts.create({ svc_last_name: 'Lovelace' }, { associations: [works] })).data;
  const options = { objectTypes: ['svc_contact'], associations: [works.association_type], store: new MemoryStore() };
  await catchUp(key, options);
  expect([...options.store.records.keys()]).toEqual([id]);
  await contacts.deleteAssociation(id, 'svc_record_to_org', String(orgId));
  await catchUp(key, options);
  expect(held(options.store)).toEqual({ lines: [], links: [] });
  await contacts.putAssociation(id, 'svc_record_to_org', String(orgId));
  await catchUp(key, options);
  expect(held(options.store)).toEqual(await fresh(key, ['svc_contact'], [works.association_type]));
  expect(held(options.store).links).toHaveLength(1);
  // The company is not copied, but the link to it is still removed and restored with it.
  await whole.records('svc_company').delete(company);
  await catchUp(key, options);
  expect(held(options.store).links).toEqual([]);
  await whole.batch([{ operation: 'restore', object_type: 'svc_company', id: company }]);
  await catchUp(key, options);
  expect(held(options.store).links).toHaveLength(1);
});

test('a store of another org is refused, and other types or another visibility start a new load', async () => {
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId);
  await checkedClient(service, key).records('svc_company').create({ svc_name: 'Analytical Engines' });
  const store = new MemoryStore();
  await catchUp(key, { objectTypes: ['svc_company', 'svc_note'], store });
  await expect(catchUp(await newKey(), { objectTypes: ['svc_company'], store })).rejects.toThrow(/has a copy of org/);
  expect(store.records.size).toBe(1);
  const again = await catchUp(key, { objectTypes: ['svc_deal'], store });
  expect(again.map(({ phase, generation }) => `${phase} ${generation}`)).toEqual(['load 2', 'follow 2']);
  expect(store.records.size).toBe(0);
  const unknown = catchUp(key, { objectTypes: ['svc_deal'], associations: ['svc_deal_to_moon'], store });
  await expect(unknown).rejects.toThrow('svc_deal is not the source of an association type "svc_deal_to_moon".');
});

test('a copy that is caught up receives a write as soon as it is made, and an abort ends the wait', async () => {
  const key = await newKey();
  const client = checkedClient(service, key);
  const controller = new AbortController();
  const store = new MemoryStore();
  const options = { objectTypes: ['svc_company'], store, signal: controller.signal };
  const following = async () => {
    for await (const { isCaughtUp } of sync(client, options)) {
      // By then, the sync is waiting for changes, for up to 25 seconds.
      if (isCaughtUp && store.records.size === 0) setTimeout(write, 300);
      else if (isCaughtUp) setTimeout(() => controller.abort(new Error('enough')), 300);
    }
  };
  let writing: Promise<unknown> | undefined;
  const write = () => {
    writing = client.records('svc_company').create({ svc_name: 'Analytical Engines' });
  };
  const begunMs = performance.now();
  await expect(following()).rejects.toThrow('enough');
  await writing;
  expect(performance.now() - begunMs).toBeLessThan(24_000);
  expect(store.records.size).toBe(1);
});

test('the links of a stage timer, which are not in the feed, come with it', async () => {
  const key = await newKey();
  const client = checkedClient(service, key);
  const [stage] = await client.records('svc_deal_pipeline_stage').list().toArray(1);
  const inStage = { association_type: 'svc_deal_to_deal_pipeline_stage', target_id: stage?.id ?? '' };
  const deal = (await client.records('svc_deal').create({}, { associations: [inStage] })).data.id;
  const associations = ['svc_stage_timer_to_deal', 'svc_stage_timer_to_deal_pipeline_stage'];
  const options = { objectTypes: ['svc_stage_timer'], associations, store: new MemoryStore() };
  await catchUp(key, options);
  await client.records('svc_deal').deleteAssociation(deal, inStage.association_type, inStage.target_id);
  await catchUp(key, options);
  const [timer] = options.store.records.keys();
  expect(held(options.store).links).toEqual([
    linkText('svc_stage_timer_to_deal', timer ?? '', deal),
    linkText('svc_stage_timer_to_deal_pipeline_stage', timer ?? '', inStage.target_id),
  ]);
});

test('an entry changes the copied record, unless it is older', () => {
  const entry = (type: Change['type'], version: string, changed?: Change['changed']) =>
    ({ type, object_type: 'svc_deal', record_id: 'x', version, ...(changed && { changed }) }) as Change;
  const at = (version: string, properties: CopiedRecord['properties']): CopiedRecord => {
    return { id: 'x', object_type: 'svc_deal', version, properties };
  };
  const three = at('3', { a: '1', b: ['2'] });
  const update = { a: { old: '1' }, c: { new: { amount: '1', unit: 'EUR' } } };
  const updated = { b: ['2'], c: { amount: '1', unit: 'EUR' } };
  expect(applyChange(three, entry('record.updated', '4', update))).toEqual(at('4', updated));
  expect(applyChange(three, entry('record.updated', '2', update))).toBe(three);
  expect(applyChange(undefined, entry('record.updated', '4', update))).toBeUndefined();
  // One write makes one version, and one entry for its values and each of its links, in any order.
  const linked = applyChange(three, entry('association.created', '4'));
  expect(linked).toEqual(at('4', three.properties));
  expect(applyChange(linked, entry('record.updated', '4', update))).toEqual(at('4', updated));
  expect(applyChange(three, entry('association.deleted', '3'))).toBe(three);
  expect(applyChange(undefined, entry('association.created', '4'))).toBeUndefined();
  // A key that can no longer see a record gets a delete with the record's current version.
  expect(applyChange(three, entry('record.deleted', '3'))).toBeUndefined();
  expect(applyChange(three, entry('record.deleted', '2'))).toBe(three);
  expect(applyChange(three, entry('record.restored', '10', { d: { new: true } }))).toEqual(at('10', { d: true }));
  expect(applyChange(undefined, entry('record.created', '1', {}))).toEqual(at('1', {}));
  const named = applyChange(undefined, entry('record.created', '1', JSON.parse('{"__proto__": {"new": "x"}}')));
  expect(Object.keys(named?.properties ?? {})).toEqual(['__proto__']);
});

test('a sync goes on without waiting while the service lets no more requests wait', async () => {
  const usual = lowerBounds({ shares: { feedWaitsOfOrg: 0, feedWaitRetrySeconds: 0 } });
  try {
    const refused: (string | undefined)[] = [];
    const client = createClient({
      url: service.url,
      key: await newKey(),
      attempts: 2,
      onRetry: (error) => refused.push(error instanceof OrreryProblem ? error.reason : error.message),
    });
    const store = new MemoryStore();
    const running = sync(client, { objectTypes: ['svc_company'], store });
    const next = async () => {
      for (;;) if ((await running.next()).value?.isCaughtUp) return;
    };
    await next();
    await next();
    expect(refused).toEqual(['overloaded']);
    const { id } = (await client.records('svc_company').create({ svc_name: 'Analytical Engines' })).data;
    await next();
    expect([...store.records.keys()]).toEqual([id]);
    await running.return();
  } finally {
    usual();
  }
});
