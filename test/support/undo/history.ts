// A generated history of a few records: callers of different grants and reach create, change, link, merge, delete and restore
// them, in single requests and in batches, and take each other's requests back. After each request the state is read, and a
// revert must lead to the state that the oracle predicts, and tell it, in a dry run as well.
import assert from 'node:assert/strict';
import { firstId } from '../../../src/base/id.ts';
import { sql } from '../../../src/base/sql.ts';
import { builtinAssociationTypes } from '../../../src/schema/builtin/association-types.ts';
import type { Reads } from '../../../src/store/database.ts';
import type { Client } from '../client.ts';
import type { Random } from '../random.ts';
import { checkAnswer, outcomes, readable } from './check.ts';
import { type Expected, expectRevert, type Powers } from './oracle.ts';
import { factsOf, readSnapshot, type Snapshot } from './snapshot.ts';

export interface UndoCaller extends Powers {
  readonly client: Client;
}

export interface UndoWorld {
  readonly database: Reads;
  readonly orgId: number;
  readonly callers: readonly UndoCaller[];
  readonly users: readonly string[];
  readonly stages: readonly string[];
  readonly toOne: ReadonlySet<number>;
  /** Imports a file of contacts, matched by their emails, and returns the job. */
  importContacts(lines: readonly string[]): Promise<string>;
}

interface Request {
  /** What it was, such as `merge` or `revert of merge`. */
  readonly kind: string;
  readonly requestId: string;
  readonly changed: boolean;
}

/** What reverts told, and of what: how often each happened. */
export type Coverage = Map<string, number>;

/** Plays one history. Throws at the first answer or state that is not as predicted, with what has happened so far. */
export async function playHistory(world: UndoWorld, random: Random, steps: number, coverage: Coverage): Promise<void> {
  const history = new History(world, random, coverage);
  try {
    await history.begin();
    for (let step = 0; step < steps; step++) await history.step();
  } catch (error) {
    throw new Error([...history.told, String(error)].join('\n'), { cause: error });
  }
}

class History {
  readonly told: string[] = [];
  readonly #world: UndoWorld;
  readonly #random: Random;
  readonly #mark: string;
  /** The states after each request; the first is the one before all of them. */
  readonly #states: Snapshot[] = [];
  readonly #requests: Request[] = [];
  /** Ids of the records of this history, by type. */
  readonly #ids = { svc_contact: [] as string[], svc_company: [] as string[], svc_deal: [] as string[] };

  readonly #coverage: Coverage;

  constructor(world: UndoWorld, random: Random, coverage: Coverage) {
    this.#coverage = coverage;
    this.#world = world;
    this.#random = random;
    this.#mark = Math.floor(random.next() * 2 ** 40).toString(36);
  }

  async begin(): Promise<void> {
    this.#states.push(await this.#read());
    const admin = this.#world.callers[0] as UndoCaller;
    // Some are refused, because they have the same unique value.
    await this.#send(admin, 'makes the records', [
      ...this.#random.times(3, () => this.#create('svc_contact')),
      ...this.#random.times(2, () => this.#create('svc_company')),
      ...this.#random.times(2, () => this.#create('svc_deal')),
      { operation: 'create', object_type: 'svc_contact', properties: { svc_last_name: 'Sure' } },
      { operation: 'create', object_type: 'svc_company', properties: { svc_region: 'Sure' } },
    ]);
  }

  async step(): Promise<void> {
    const [admin, ...others] = this.#world.callers as [UndoCaller, ...UndoCaller[]];
    const caller = this.#random.chance(0.4) ? admin : this.#random.pick(others);
    if (this.#requests.length > 1 && this.#random.chance(0.35)) return this.#revert(caller);
    if (this.#random.chance(0.04)) return this.#import();
    const count = this.#random.chance(0.25) ? this.#random.between(2, 4) : 1;
    const touched = new Set<string>();
    const items: Item[] = [];
    for (let each = 0; each < count; each++) {
      const item = this.#item(count > 1 ? 'of_batch' : 'alone');
      // Each record is touched once, so that the state before and after a request tells what it did.
      const ids = [item['id'], item['target_id']].filter((id) => typeof id === 'string');
      if (ids.some((id) => touched.has(id))) continue;
      for (const id of ids) touched.add(id);
      items.push(item);
    }
    await this.#send(caller, 'sends', items);
  }

  #item(where: 'of_batch' | 'alone'): Item {
    const random = this.#random;
    const kinds = ['create', 'update', 'update', 'update', 'link', 'link', 'unlink', 'unlink', 'share'];
    const kind = random.pick(
      where === 'alone' ? [...kinds, 'delete', 'delete', 'restore', 'restore', 'restore', 'merge', 'merge'] : kinds,
    );
    const type = random.pick(types.filter((each) => this.#ids[each].length > 1));
    const id = random.pick(this.#ids[type]);
    switch (kind) {
      case 'create':
        return this.#create(type);
      case 'update':
        return { operation: 'update', object_type: type, id, properties: this.#values(type) };
      case 'delete':
      case 'restore':
        return this.#moved(kind);
      case 'merge':
        return {
          operation: 'merge',
          object_type: type,
          id,
          duplicate_id: random.pick(this.#ids[type].filter((other) => other !== id)),
        };
      case 'share': {
        const isOrg = random.chance(0.6);
        return {
          operation: random.pick(['associate', 'dissociate']),
          object_type: type,
          id,
          association_type: isOrg ? 'svc_record_to_org' : 'svc_record_to_user',
          target_id: isOrg ? String(this.#world.orgId) : random.pick(this.#world.users),
        };
      }
      case 'unlink':
        return random.pick(this.#linked()) ?? this.#create(type);
      default: {
        const [association, source, targets] = random.pick(this.#links());
        const link = { association_type: association, target_id: random.pick(targets) };
        return { operation: 'associate', object_type: source, id: random.pick(this.#ids[source]), ...link };
      }
    }
  }

  /** A record that can be deleted or restored, if there is one. */
  #moved(operation: 'delete' | 'restore'): Item {
    const now = this.#states.at(-1) as Snapshot;
    const all = types.flatMap((object_type) => this.#ids[object_type].map((id) => ({ object_type, id })));
    const fitting = all.filter(({ id }) => factsOf(now, id).place === (operation === 'delete' ? 'live' : 'trash'));
    return { operation, ...this.#random.pick(fitting.length > 0 ? fitting : all) };
  }

  /** The links that there are, each as an item that removes it; undefined if there is none. */
  #linked(): readonly (Item | undefined)[] {
    const now = this.#states.at(-1) as Snapshot;
    const items = types.flatMap((object_type) =>
      this.#ids[object_type].flatMap((id) =>
        [...factsOf(now, id).facts].flatMap(([name, target_id]) => {
          const association_type = associationNames.get(Number(name.split(' ')[1]));
          const isLink = name.startsWith('one ') || name.startsWith('many ');
          return isLink ? [{ operation: 'dissociate', object_type, id, association_type, target_id }] : [];
        }),
      ),
    );
    return items.length === 0 ? [undefined] : items;
  }

  #links(): readonly (readonly [string, TypeName, readonly string[]])[] {
    const { svc_contact, svc_company } = this.#ids;
    return [
      ['svc_contact_to_company', 'svc_contact', svc_company],
      ['svc_deal_to_company', 'svc_deal', svc_company],
      ['svc_deal_to_contact', 'svc_deal', svc_contact],
      ['svc_deal_to_deal_pipeline_stage', 'svc_deal', this.#world.stages],
    ];
  }

  #create(type: TypeName): Item {
    return { operation: 'create', object_type: type, properties: this.#values(type) };
  }

  /** Few different values, so that they meet; some are long, and stored apart. */
  #values(type: TypeName): Record<string, unknown> {
    const random = this.#random;
    const text = () => random.pick(['one', 'two', 'three', null]);
    const email = () => `${random.pick(['a', 'b', 'c', 'd'])}@${this.#mark}.example`;
    const emails = random.oneOf(
      () => null,
      () => [email()],
      () => [...new Set([email(), email()])],
    );
    const all: Record<TypeName, Record<string, unknown>> = {
      svc_contact: {
        svc_first_name: text(),
        svc_email: emails,
        svc_summary: random.pick([null, 'short', 'long '.repeat(1_000), 'longer '.repeat(1_000)]),
        svc_lead_score: random.pick(['cold', 'warm', 'hot', null]),
      },
      svc_company: {
        svc_name: text(),
        svc_domain: random.pick([null, `${random.pick(['x', 'y'])}.${this.#mark}.example`]),
      },
      svc_deal: { svc_name: text(), svc_amount: random.pick([null, { amount: '12.50', unit: 'EUR' }]) },
    };
    const chosen = random.some(Object.entries(all[type]), random.between(1, 3));
    return Object.fromEntries(chosen);
  }

  async #send(caller: UndoCaller, verb: string, operations: readonly Item[]): Promise<void> {
    if (operations.length === 0) return;
    const answer = await caller.client.post('/batch/', { operations });
    this.told.push(
      `${this.#states.length}. ${caller.name} ${verb} ${JSON.stringify(operations)} → ${outcomes(answer)}`,
    );
    assert.ok([200, 207].includes(answer.status), answer.text);
    for (const [index, { status, id }] of answer.body.data.results.entries()) {
      const type = operations[index]?.['object_type'] as TypeName;
      if (status === 201) this.#ids[type].push(id);
    }
    const kind = operations.length > 1 ? 'batch' : String(operations[0]?.['operation']);
    await this.#noteRequest(answer.body.request_id, kind);
  }

  /** Some rows create contacts, others change those that have the email. */
  async #import(): Promise<void> {
    const { database, orgId } = this.#world;
    const newest = sql`select max(id::text) as id from orrery.record where org_id = ${orgId} and type_id = 1`;
    const [last] = await database.query<{ id: string | null }>(newest);
    // All rows have the same name: one that is changed and changed back within a request would not differ before and after.
    const name = this.#random.pick(['one', 'two', 'three']);
    const emails = this.#random.some(['a', 'b', 'c', 'd', 'new1', 'new2'], 3);
    const rows = emails.map((email) => `${email}@${this.#mark}.example,${name}`);
    const requestId = await this.#world.importContacts(['Email,First name', ...rows]);
    const made = await database.query<{ id: string }>(sql`
      select id from orrery.record
      where org_id = ${orgId} and type_id = 1 and id > ${last?.id ?? firstId}::uuid order by id`);
    this.#ids.svc_contact.push(...made.map(({ id }) => id));
    this.told.push(`${this.#states.length}. an import of ${rows.join(' ')}`);
    await this.#noteRequest(requestId, 'import');
  }

  async #noteRequest(requestId: string, kind: string): Promise<void> {
    const before = this.#states.at(-1) as Snapshot;
    const after = await this.#read();
    this.#states.push(after);
    const changed = readable(before).join() !== readable(after).join();
    this.#requests.push({ kind, requestId, changed });
  }

  async #revert(caller: UndoCaller): Promise<void> {
    const effective = this.#requests.flatMap(({ changed }, before) => (changed ? [before + 1] : []));
    const isEffective = effective.length > 1 && this.#random.chance(0.9);
    const index = isEffective ? this.#pickByKind(effective) : this.#random.between(1, this.#requests.length);
    const { requestId, kind } = this.#requests[index - 1] as Request;
    const expected = expectRevert(this.#states, index, caller);
    // An import is a job, and its id is that of the request in the feed as well.
    const isJob = kind === 'import' && this.#random.chance(0.5);
    const item = { operation: 'revert', ...(isJob ? { job_id: requestId } : { request_id: requestId }) };
    const dry = await caller.client.post('/batch/', { operations: [item] }, { 'svc-dry-run': 'true' });
    const before = this.#states.at(-1);
    assert.deepEqual(await this.#read(), before, 'A dry run changes nothing.');
    const answer = await caller.client.post('/batch/', { operations: [item] });
    this.told.push(`${this.#states.length}. ${caller.name} takes back request ${index} → ${answer.text}`);
    await this.#noteRequest(answer.body.request_id, 'revert');
    this.#cover(kind, expected);
    checkAnswer(dry, expected);
    checkAnswer(answer, expected);
    if (expected !== 'unknown') assert.deepEqual(dry.body.data, answer.body.data, 'A dry run tells the same.');
    const after = this.#states.at(-1) as Snapshot;
    assert.deepEqual(readable(after), readable(expected === 'unknown' ? (before as Snapshot) : expected.after));
  }

  /** One of these requests; those of a kind that is rare are as likely as all batches together. */
  #pickByKind(indexes: readonly number[]): number {
    const kindOf = (index: number) => this.#requests[index - 1]?.kind;
    const kind = this.#random.pick([...new Set(indexes.map(kindOf))]);
    return this.#random.pick(indexes.filter((index) => kindOf(index) === kind));
  }

  #cover(kind: string, expected: Expected | 'unknown'): void {
    const lists = ['reverted', 'kept', 'refused'] as const;
    const told = expected === 'unknown' ? ['unknown'] : lists.filter((list) => expected[list].length > 0);
    for (const each of told) this.#coverage.set(`${kind} ${each}`, (this.#coverage.get(`${kind} ${each}`) ?? 0) + 1);
  }

  #read(): Promise<Snapshot> {
    const { database, orgId, toOne, stages } = this.#world;
    return readSnapshot(database, orgId, [...stages, ...Object.values(this.#ids).flat()], toOne);
  }
}

const associationNames = new Map(builtinAssociationTypes.map(({ id, name }) => [id, name]));
const types = ['svc_contact', 'svc_company', 'svc_deal'] as const;
type TypeName = (typeof types)[number];
type Item = Record<string, unknown>;
