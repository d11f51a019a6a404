// A person with a rich life: created, changed, imported, merged from a chain of duplicates, moved through stages, deleted and
// restored, under idempotency keys and with refusals that quote values. Every value is a secret that occurs nowhere else, so
// that a search finds whatever is left of it.
import assert from 'node:assert/strict';
import { item, resultsOf, runBatch, succeed } from '../batch.ts';
import type { Client } from '../client.ts';
import { contacts, make, pathOfRecord, recordsPath } from '../records.ts';

/** What the person's type has besides the built-in properties. */
export const lifeSchema = {
  properties: {
    svc_contact: [
      { name: 'badge', label: 'Badge', field_type: 'text', unique: true },
      { name: 'nicknames', label: 'Nicknames', field_type: 'text', multi_valued: true },
      { name: 'salary', label: 'Salary', field_type: 'number' },
      { name: 'born', label: 'Born', field_type: 'date' },
      { name: 'biography', label: 'Biography', field_type: 'long_text' },
    ],
  },
} as const;

/** Makes values that occur nowhere else, and remembers them. */
export class Secrets {
  readonly values: string[] = [];
  readonly #tag: string;

  constructor(tag: string) {
    this.#tag = tag;
  }

  word(name: string): string {
    return this.#kept(`Zq${this.#tag}${name}${this.values.length}`);
  }

  email(name: string): string {
    const word = this.word(name);
    return `${word}@mail.example`;
  }

  digits(): string {
    return this.#kept(`73${this.#number}${String(this.values.length).padStart(2, '0')}5183`);
  }

  /** A text that is stored once, apart from the feed and the kept answers. */
  long(name: string): string {
    return `${this.word(name)} `.repeat(400).trim();
  }

  day(): string {
    return this.#kept(`1${this.#number.slice(-3)}-07-19`);
  }

  /** Six digits that only this tag has. */
  get #number(): string {
    const sum = Array.from(this.#tag).reduce((all, letter) => (all * 31 + letter.charCodeAt(0)) % 899_999, 7);
    return String(100_000 + sum);
  }

  #kept(value: string): string {
    this.values.push(value);
    return value;
  }
}

export interface Person {
  readonly id: string;
  readonly secrets: Secrets;
  /** The duplicates that were merged into the person, and into each other. */
  readonly duplicates: readonly string[];
  /** One that was merged, and restored since. Its values are its own. */
  readonly restored: { readonly id: string; readonly secrets: Secrets };
  /** Requests under idempotency keys, to be repeated. */
  readonly repeats: readonly { readonly body: object; readonly path: string; readonly key: string }[];
}

interface World {
  readonly client: Client;
  /** Imports the lines as a file of contacts, matched by their email addresses. */
  readonly importLines: (lines: readonly string[]) => Promise<void>;
}

/** Lives the life; `tag` tells the secrets of several persons apart. */
export async function liveLife(world: World, tag: string): Promise<Person> {
  const { client, importLines } = world;
  const secrets = new Secrets(tag);
  const repeats: { body: object; path: string; key: string }[] = [];
  const keyed = async (path: string, body: object, statuses: readonly number[]) => {
    const key = `life-${tag}-${repeats.length}`;
    const answer = await client.post(path, body, { 'idempotency-key': key });
    assert.ok(statuses.includes(answer.status), answer.text);
    repeats.push({ body, path, key });
    return answer;
  };
  const created = await keyed(contacts, { properties: firstValues(secrets) }, [201]);
  const { id } = created.body.data as { id: string };
  const record = { object_type: 'svc_contact', id };
  await change(client, record, { svc_last_name: secrets.word('maiden'), biography: secrets.long('life') });
  await change(client, record, { biography: secrets.long('second'), nicknames: [secrets.word('nick')] });
  await change(client, record, { svc_email: [secrets.email('new'), secrets.email('other')] });
  const [address] = secrets.values.slice(-2);
  await importLines(['E-mail,Job title', `${address}@mail.example,${secrets.word('imported')}`]);
  await link(client, id);
  await moveStages(client, id);
  const refused = await keyed('/batch/', { operations: refusedItems(secrets, id) }, [207]);
  assert.equal(resultsOf(refused).filter(({ problem }) => problem !== undefined).length, 3, refused.text);
  const { duplicates, restored } = await mergeAll(client, id, secrets, tag);
  await succeed(client, [item('delete', 'svc_contact', { id }), item('restore', 'svc_contact', { id })]);
  await change(client, record, { svc_headline: secrets.word('headline') });
  return { id, secrets, duplicates, restored, repeats };
}

function firstValues(secrets: Secrets): object {
  return {
    svc_first_name: secrets.word('first'),
    svc_last_name: secrets.word('last'),
    svc_email: [secrets.email('home'), secrets.email('work')],
    svc_phone_number: [{ country_code: 'NO', national_number: secrets.digits() }],
    svc_summary: secrets.long('summary'),
    badge: secrets.word('badge'),
    nicknames: [secrets.word('ape'), secrets.word('bat')],
    salary: secrets.digits(),
    born: secrets.day(),
  };
}

async function change(client: Client, record: { object_type: string; id: string }, properties: object): Promise<void> {
  const key = `change-${record.id}-${JSON.stringify(properties).length}-${Object.keys(properties).join()}`;
  const answer = await client.patch(pathOfRecord(record), { properties }, { 'idempotency-key': key });
  assert.equal(answer.status, 200, answer.text);
}

/** A note, a call and a company that are linked to the person, and stay. */
async function link(client: Client, id: string): Promise<void> {
  const company = await make(client, 'svc_company', { svc_name: 'Employer' });
  await succeed(client, [
    item('associate', 'svc_contact', {
      id,
      association_type: 'svc_contact_to_company',
      target_id: company.id,
    }),
  ]);
  await make(client, 'svc_note', { svc_title: 'About somebody' }, [
    { association_type: 'svc_note_to_contact', target_id: id },
  ]);
  await make(client, 'svc_call', { svc_subject: 'A call', svc_started_at: '2026-01-02T03:04:05Z' }, [
    { association_type: 'svc_activity_to_contact', target_id: id },
  ]);
}

async function moveStages(client: Client, id: string): Promise<void> {
  const stages = await client.get(recordsPath('svc_contact_lifecycle_stage'));
  for (const stage of (stages.body.data as readonly { id: string }[]).slice(0, 3)) {
    const path = `${contacts}${id}/associations/svc_contact_to_lifecycle_stage/${stage.id}/`;
    assert.equal((await client.put(path, undefined)).status, 200);
  }
}

/** One that succeeds, so that the answer is kept, and three whose problems quote values that were never stored. */
function refusedItems(secrets: Secrets, id: string): readonly object[] {
  return [
    item('create', 'svc_company', { properties: { svc_name: 'Bystander' } }),
    item('update', 'svc_contact', { id, properties: { svc_email: [secrets.word('noaddress')] } }),
    item('create', 'svc_contact', { properties: { svc_timezone: secrets.word('nozone') } }),
    item('update', 'svc_contact', { id, properties: { salary: secrets.word('nonumber') } }),
  ];
}

/** Merges a chain of duplicates into the person, and one that is restored afterwards. */
async function mergeAll(client: Client, id: string, secrets: Secrets, tag: string) {
  const own = new Secrets(`${tag}own`);
  const values = (of: Secrets, name: string) => ({
    svc_first_name: of.word(name),
    svc_email: [of.email(name)],
    svc_summary: of.long(`${name}text`),
    badge: of.word(`${name}badge`),
  });
  const [first, second, third] = [
    await make(client, 'svc_contact', values(secrets, 'dupone')),
    await make(client, 'svc_contact', values(secrets, 'duptwo')),
    await make(client, 'svc_contact', values(own, 'dupthree')),
  ];
  const merge = (kept: string, duplicate_id: string) => item('merge', 'svc_contact', { id: kept, duplicate_id });
  await succeed(client, [merge(second.id, first.id), merge(id, second.id)]);
  await mergeAndSeparate(client, id, third.id, own);
  return { duplicates: [first.id, second.id], restored: { id: third.id, secrets: own } };
}

/** The person gets no value of that duplicate: it has all of them, but for the lists, which are set again. */
async function mergeAndSeparate(client: Client, id: string, duplicateId: string, own: Secrets): Promise<void> {
  const before = await client.get(`${contacts}${id}/`);
  const { svc_email } = before.body.data.properties as { svc_email: readonly string[] };
  await succeed(client, [
    item('merge', 'svc_contact', { id, duplicate_id: duplicateId }),
    item('update', 'svc_contact', { id, properties: { svc_email } }),
    item('restore', 'svc_contact', { id: duplicateId }),
    item('update', 'svc_contact', { id: duplicateId, properties: { svc_headline: own.word('alive') } }),
  ]);
}

/** Erases the person, and returns the note. */
export async function erase(client: Client, id: string, type = 'svc_contact'): Promise<string> {
  const answer = await runBatch(client, [item('erase', type, { id })]);
  assert.equal(answer.status, 200, answer.text);
  const [result] = resultsOf(answer) as readonly { readonly note?: string }[];
  return result?.note ?? '';
}
