// Erasing while others change, merge, delete, restore and link the record, on two processes: nothing of it is left in the end,
// and nobody gets an error of the service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { Answer } from '../support/answer.ts';
import { item, resultsOf, runBatch, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { Secrets } from '../support/erase/life.ts';
import { tablesWith } from '../support/erase/search.ts';
import { findingsIn } from '../support/integrity.ts';
import { Random } from '../support/random.ts';
import { contacts, make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let first: TestService;
let second: TestService;
let orgId: number;
let clients: readonly Client[];
let stages: readonly string[];
beforeAll(async () => {
  first = await startService();
  second = await startService({ databaseUrl: first.databaseUrl });
  orgId = await first.createOrg({ quota: 10_000_000, windowSeconds: 60 });
  const { key } = await first.createKey(orgId);
  clients = [first.client(key), second.client(key)];
  const { body } = await (clients[0] as Client).get('/objects/svc_contact_lifecycle_stage/records/');
  stages = (body.data as readonly { id: string }[]).map(({ id }) => id);
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

/** One person, several who write it, and two who erase it. */
class Round {
  readonly secrets: Secrets;
  readonly merged: Secrets[] = [];
  readonly statuses: number[] = [];
  readonly #random: Random;
  readonly #id: string;
  #count = 0;
  over = false;

  constructor(id: string, secrets: Secrets, random: Random) {
    this.#id = id;
    this.secrets = secrets;
    this.#random = random;
  }

  get #client(): Client {
    return this.#random.pick(clients);
  }

  /** Writes until it was erased, and a little longer. */
  async write(): Promise<void> {
    for (let after = 0; after < 3; after += this.over ? 1 : 0) {
      const answer = await this.#random.oneOf(
        () => this.#update(),
        () => this.#batch(),
        () => this.#flip(),
        () => this.#merge(),
        () => this.#move(),
        () => this.#note(),
      );
      this.statuses.push(answer.status);
    }
  }

  #update(): Promise<Answer> {
    const long = this.secrets.long(`up${this.#count++}`);
    const properties = { svc_first_name: this.secrets.word(`w${this.#count}`), svc_summary: long };
    const path = pathOfRecord({ object_type: 'svc_contact', id: this.#id });
    const headers = this.#random.chance(0.5) ? { 'idempotency-key': `${this.#id}-${this.#count}` } : {};
    return this.#client.patch(path, { properties }, headers);
  }

  #batch(): Promise<Answer> {
    const operations = [
      item('create', 'svc_company', { properties: { svc_name: 'Bystander' } }),
      item('update', 'svc_contact', {
        id: this.#id,
        properties: { svc_headline: this.secrets.word(`b${this.#count++}`) },
      }),
      item('update', 'svc_contact', { id: this.#id, properties: { svc_email: ['not an address'] } }),
    ];
    return runBatch(this.#client, operations, {}, { 'idempotency-key': `${this.#id}-${this.#count}-batch` });
  }

  #flip(): Promise<Answer> {
    const operation = this.#random.pick(['delete', 'restore', 'restore']);
    return runBatch(this.#client, [item(operation, 'svc_contact', { id: this.#id })]);
  }

  async #merge(): Promise<Answer> {
    const own = new Secrets(`${this.#id.slice(-6)}m${this.#count++}`);
    const values = { svc_first_name: own.word('dup'), svc_summary: own.long('dup') };
    const duplicate = await make(this.#client, 'svc_contact', values);
    const answer = await runBatch(this.#client, [
      item('merge', 'svc_contact', { id: this.#id, duplicate_id: duplicate.id }),
    ]);
    if (resultsOf(answer)[0]?.status === 200) this.merged.push(own);
    return answer;
  }

  #move(): Promise<Answer> {
    const path = `${contacts}${this.#id}/associations/svc_contact_to_lifecycle_stage/${this.#random.pick(stages)}/`;
    return this.#client.put(path, undefined);
  }

  #note(): Promise<Answer> {
    const associations = [{ association_type: 'svc_note_to_contact', target_id: this.#id }];
    return this.#client.post('/objects/svc_note/records/', { properties: {}, associations });
  }

  async erase(): Promise<number> {
    await sleep(this.#random.between(20, 150));
    const answer = await runBatch(this.#client, [item('erase', 'svc_contact', { id: this.#id })]);
    this.over = true;
    return resultsOf(answer)[0]?.status ?? 0;
  }
}

test('of all who erase a record that others write, one succeeds, and nothing is left', async () => {
  const random = new Random(20270131);
  for (let count = 0; count < 10; count++) {
    const secrets = new Secrets(`race${count}x`);
    const values = { svc_first_name: secrets.word('first'), svc_email: [secrets.email('home')] };
    const { id } = await make(clients[0] as Client, 'svc_contact', values);
    const round = new Round(id, secrets, random);
    const writers = Array.from({ length: 4 }, () => round.write());
    const [erased] = await Promise.all([Promise.all([round.erase(), round.erase()]), ...writers]);
    expect(erased.toSorted(), `round ${count}`).toEqual([200, 404]);
    expect(round.statuses.filter((status) => status >= 500)).toEqual([]);
    expect(round.statuses.length).toBeGreaterThan(8);
    const all = [secrets, ...round.merged].flatMap(({ values: each }) => each);
    expect(await tablesWith(first.databaseUrl, all), `round ${count}`).toEqual({});
  }
  // Links that were made at the last moment go as well.
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});

test('a duplicate that is restored while its record is erased is either gone or alive, never in between', async () => {
  const [one, other] = clients as readonly [Client, Client];
  for (let count = 0; count < 12; count++) {
    const secrets = new Secrets(`dup${count}x`);
    const kept = await make(one, 'svc_contact', { svc_last_name: `Kept ${count}` });
    const duplicate = await make(one, 'svc_contact', { svc_first_name: secrets.word('dup'), svc_last_name: 'Own' });
    await succeed(one, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id })]);
    const [, restored] = await Promise.all([
      runBatch(one, [item('erase', 'svc_contact', { id: kept.id })]),
      runBatch(other, [item('restore', 'svc_contact', { id: duplicate.id })]),
    ]);
    const found = Object.values(await tablesWith(first.databaseUrl, secrets.values)).flat();
    const isAlive = resultsOf(restored)[0]?.status === 200;
    if (isAlive) expect(found).toEqual(expect.arrayContaining(['change', 'record', 'search']));
    else expect(found).toEqual([]);
  }
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});

test('two erasures do not undo each other in the answers that both redact', async () => {
  const [one, other] = clients as readonly [Client, Client];
  const people = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const secrets = new Secrets(`pair${index}x`);
      const body = { properties: { svc_first_name: secrets.word('name'), svc_summary: secrets.long('text') } };
      const answer = await one.post(contacts, body, { 'idempotency-key': `pair-${index}` });
      return { id: answer.body.data.id as string, secrets };
    }),
  );
  // As answers of an earlier release, which may quote.
  await first.database.script('update orrery.idempotency set quotes = true');
  await Promise.all(
    people.map(({ id }, index) => succeed(index % 2 === 0 ? one : other, [item('erase', 'svc_contact', { id })])),
  );
  const all = people.flatMap(({ secrets }) => secrets.values);
  expect(await tablesWith(first.databaseUrl, all)).toEqual({});
});
