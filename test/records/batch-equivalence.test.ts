// A batch means what its items mean one after the other (contract 5: `status` is what the single operation would answer,
// later items see earlier ones). Generated batches run in one org whole, and item by item in a twin of it: the results,
// the records, the links, the unique values and the feed must be the same. A failure prints its seed and shrinks.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { findingsIn } from '../support/integrity.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let whole: Twin;
let single: Twin;
beforeAll(async () => {
  service = await startService();
  whole = await createTwin();
  single = await createTwin();
});
afterAll(() => service.stop());

interface Twin {
  readonly orgId: number;
  readonly client: Client;
}

async function createTwin(): Promise<Twin> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  return { orgId, client: service.client((await service.createKey(orgId)).key) };
}

/** A record by its place among those that exist at the start, or by the item that made or named it. */
type Who = { readonly start: number } | { readonly item: number };

type Item =
  | { readonly operation: 'create'; readonly emails: readonly number[]; readonly company?: number | undefined }
  | { readonly operation: 'update'; readonly id: Who; readonly emails: readonly number[]; readonly name?: string }
  | { readonly operation: 'upsert'; readonly emails: readonly number[]; readonly company?: number | undefined }
  | { readonly operation: 'delete' | 'restore'; readonly id: Who }
  | { readonly operation: 'merge'; readonly id: Who; readonly duplicate: Who }
  | { readonly operation: 'associate' | 'dissociate'; readonly id: Who; readonly company: number }
  | { readonly operation: 'join' | 'leave'; readonly target: Who };

const startCount = 5;
const emailCount = 5;

const who: fc.Arbitrary<Who> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ start: fc.nat(startCount - 1) }) },
  { weight: 2, arbitrary: fc.record({ item: fc.nat(6) }) },
);
const emails = fc.uniqueArray(fc.nat(emailCount - 1), { maxLength: 3 });
const company = fc.option(fc.nat(1), { nil: undefined });
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ operation: fc.constant('create' as const), emails, company }),
  fc.record({ operation: fc.constant('update' as const), id: who, emails, name: fc.constantFrom('Ada', 'Bob') }),
  fc.record({ operation: fc.constant('upsert' as const), emails, company }),
  fc.record({ operation: fc.constantFrom('delete' as const, 'restore' as const), id: who }),
  fc.record({ operation: fc.constant('merge' as const), id: who, duplicate: who }),
  fc.record({
    operation: fc.constantFrom('associate' as const, 'dissociate' as const),
    id: who,
    company: fc.nat(1),
  }),
  fc.record({ operation: fc.constantFrom('join' as const, 'leave' as const), target: who }),
);

/** The records of one run in one of the twins, by the names that both give them. */
class Stage {
  readonly twin: Twin;
  readonly mark: string;
  readonly ids = new Map<string, string>();

  constructor(twin: Twin, mark: string) {
    this.twin = twin;
    this.mark = mark;
  }

  email(index: number): string {
    return `e${index}-${this.mark}@example.com`;
  }

  /** Four contacts, one of them in the trash, one with two addresses and one with none; two companies and a deal. */
  async set(): Promise<void> {
    const contact = (name: string, ...held: readonly number[]) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: { svc_last_name: name, svc_email: held.map((index) => this.email(index)) },
      ref: name,
    });
    const other = (name: string, type: string) => ({
      operation: 'create',
      object_type: type,
      properties: { svc_name: name },
      ref: name,
    });
    const names = ['start0', 'start1', 'start2', 'start3', 'start4', 'company0', 'company1', 'deal'];
    const { body } = await this.twin.client.post('/batch/', {
      atomic: true,
      operations: [
        contact('start0', 0),
        contact('start1', 1, 2),
        contact('start2'),
        contact('start3', 3),
        contact('start4', 4),
        other('company0', 'svc_company'),
        other('company1', 'svc_company'),
        other('deal', 'svc_deal'),
        { operation: 'delete', object_type: 'svc_contact', id: { ref: 'start3' } },
      ],
    });
    for (const [index, name] of names.entries()) this.ids.set(name, body.data.results[index].id);
  }

  /** The item on the wire; `find` gives the id or ref of a record. */
  wire(each: Item, find: (who: Who) => unknown): Record<string, unknown> {
    const contact = { operation: each.operation, object_type: 'svc_contact' };
    const works = (index: number) => ({
      association_type: 'svc_contact_to_company',
      target_id: this.ids.get(`company${index}`),
    });
    switch (each.operation) {
      case 'create':
      case 'upsert':
        return {
          ...contact,
          ...(each.operation === 'upsert' ? { match: 'svc_email' } : {}),
          properties: { svc_email: each.emails.map((index) => this.email(index)) },
          ...(each.company === undefined ? {} : { associations: [works(each.company)] }),
        };
      case 'update': {
        const svc_email = each.emails.map((index) => this.email(index));
        return { ...contact, id: find(each.id), properties: { svc_email, svc_first_name: each.name } };
      }
      case 'delete':
      case 'restore':
        return { ...contact, id: find(each.id) };
      case 'merge':
        return { ...contact, id: find(each.id), duplicate_id: find(each.duplicate) };
      case 'associate':
      case 'dissociate':
        return { ...contact, id: find(each.id), ...works(each.company) };
      case 'join':
      case 'leave':
        return {
          operation: each.operation === 'join' ? 'associate' : 'dissociate',
          object_type: 'svc_deal',
          id: this.ids.get('deal'),
          association_type: 'svc_deal_to_contact',
          target_id: find(each.target),
        };
    }
  }

  /** The outcome of an item, in the names of both twins. */
  told(index: number, result: Result): Told {
    const { status, id, version, problem } = result;
    if (status === 201 && id !== undefined) this.ids.set(`item${index}`, id);
    const known = [...this.ids].find(([, each]) => each === id);
    return { status, reason: problem?.reason, record: known?.[0], version };
  }

  /** Everything that is stored of the records, in the names of both twins. */
  async state(): Promise<unknown> {
    const names = new Map([...this.ids].map(([name, id]) => [id, name]));
    const text = `
      select 'record' as kind, id, version::text as a, (properties - '{svc_created_at,svc_updated_at}'::text[])::text as b
        from orrery.record where org_id = $1 and id = any ($2)
      union all
      select 'trash', id, version::text, (properties - '{svc_created_at,svc_updated_at}'::text[])::text
        from orrery.trash where org_id = $1 and id = any ($2)
      union all
      select 'unique', record_id, value, '' from orrery.unique_value where org_id = $1 and value like '%' || $3 || '%'
      union all
      select 'link', source_id, target_id::text, association_type_id::text
        from orrery.association where org_id = $1 and source_id = any ($2)
      union all
      select 'entry', record_id, version::text, kind || ' ' || coalesce(target_id::text, '')
        from orrery.change where org_id = $1 and record_id = any ($2)`;
    const { rows } = await rawQuery(service.databaseUrl, text, [this.twin.orgId, [...names.keys()], this.mark]);
    const named = (value: string) => value.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => names.get(id) ?? id);
    return rows
      .map(({ kind, id, a, b }: Record<string, string>) => [kind, id, a, b].map((each) => named(each ?? '')).join(' '))
      .sort();
  }
}

interface Result {
  readonly status: number;
  readonly id?: string;
  readonly version?: string;
  readonly problem?: { readonly reason: string };
}

interface Told {
  readonly status: number;
  readonly reason: string | undefined;
  readonly record: string | undefined;
  readonly version: string | undefined;
}

async function runWhole(stage: Stage, items: readonly Item[], more: readonly unknown[]): Promise<readonly Told[]> {
  const find = (each: Who) => ('start' in each ? stage.ids.get(`start${each.start}`) : { ref: `item${each.item}` });
  const operations = items.map((each, index) => ({ ...stage.wire(each, find), ref: `item${index}` }));
  const { status, body, text } = await stage.twin.client.post('/batch/', { operations: [...operations, ...more] });
  expect([200, 207], text).toContain(status);
  const results = (body.data.results as readonly Result[]).slice(0, items.length);
  return results.map((result, index) => stage.told(index, result));
}

async function runSingly(stage: Stage, items: readonly Item[]): Promise<readonly Told[]> {
  const made = new Map<number, string>();
  const told: Told[] = [];
  for (const [index, each] of items.entries()) {
    let unknown = false;
    const operation = stage.wire(each, (wanted) => {
      if ('start' in wanted) return stage.ids.get(`start${wanted.start}`);
      unknown ||= !made.has(wanted.item);
      return made.get(wanted.item);
    });
    if (unknown) {
      told.push({ status: 422, reason: 'unknown_ref', record: undefined, version: undefined });
      continue;
    }
    const { body } = await stage.twin.client.post('/batch/', { operations: [operation] });
    const result = body.data.results[0] as Result;
    if (result.status < 300 && result.id !== undefined) made.set(index, result.id);
    told.push(stage.told(index, result));
  }
  return told;
}

/** Two errors of one item are reported in the order in which they are found: a ref that fails is found late. */
function comparable(told: readonly Told[]): readonly Told[] {
  return told.map((each) =>
    each.status === 404 || each.reason === 'unknown_ref' ? { ...each, status: 404, reason: 'absent' } : each,
  );
}

test.each([
  ['by themselves', false],
  ['with an item that is refused at their end', true],
])('the items of a batch, %s, do what they would do one after the other', async (_, refused) => {
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 2, maxLength: 7 }), async (items) => {
      const mark = newId();
      const stages = [new Stage(whole, mark), new Stage(single, mark)] as const;
      for (const stage of stages) await stage.set();
      const [first, second] = stages;
      // A value that is taken and stays so: what a batch assumes of unique values is then looked up.
      const taken = { operation: 'create', object_type: 'svc_contact', properties: { svc_email: [`taken@${mark}`] } };
      if (refused) await whole.client.post('/batch/', { operations: [taken] });
      const told = await runWhole(first, items, refused ? [taken] : []);
      expect(comparable(told)).toEqual(comparable(await runSingly(second, items)));
      const state = (await first.state()) as string[];
      expect(state.filter((line) => !line.includes('taken@'))).toEqual(await second.state());
    }),
    { numRuns: 25 },
  );
});

test('batches that change the same records at once are all answered, and leave data that agrees', async () => {
  const batches = fc.array(fc.array(item, { minLength: 1, maxLength: 5 }), { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      const stage = new Stage(whole, newId());
      await stage.set();
      const told = await Promise.all(all.map((items) => runWhole(stage, items, [])));
      expect(told.flat().filter(({ status }) => status >= 500)).toEqual([]);
    }),
    { numRuns: 8, endOnFailure: true },
  );
  expect(await findingsIn(service.database, whole.orgId)).toEqual([]);
});

test('after all these batches records, indexes, unique values, search words, links and the feed agree', async () => {
  expect(await findingsIn(service.database, whole.orgId)).toEqual([]);
  expect(await findingsIn(service.database, single.orgId)).toEqual([]);
});
