// Makes the two orgs of the test for leaks: the same records for the credential to see, and others that it cannot.
import assert from 'node:assert/strict';
import { sleep } from '../../../src/base/clock.ts';
import { item, succeed } from '../batch.ts';
import type { Client } from '../client.ts';
import { absentId } from '../operation-examples.ts';
import type { Random } from '../random.ts';
import { type LinkData, make, pathOfRecord, type RecordData } from '../records.ts';
import { hiddenValues, hiddenWord, type Secrets } from './hidden-values.ts';

/** The unique value of a hidden record. */
export const heldAddress = 'held@hidden.example';

export const hiddenNames = Array.from({ length: 12 }, (_, index) => `«hidden${index}»`);

export interface Side {
  readonly client: Client;
  readonly orgId: number;
  /** The id or time of a word, and back. */
  readonly meanings: Map<string, string>;
  readonly words: Map<string, string>;
  readonly hiddenIds: string[];
}

export interface Making extends Side {
  readonly all: Client;
  readonly mine: Client;
  readonly theirs: Client;
}

export function name({ meanings, words }: Side, word: string, meaning: string): void {
  meanings.set(word, meaning);
  words.set(meaning, word);
}

export function valuesFor(random: Random, sort: string, index: number): Readonly<Record<string, unknown>> {
  const word = random.pick(['Alpha', 'alpha', 'beta', 'Gamma delta', 'éclair']);
  if (sort === 'contact') {
    return {
      svc_last_name: word,
      svc_email: [`c${index}@visible.example`],
      ...(random.chance(0.5) ? { svc_lead_score: random.pick(['cold', 'warm', 'hot']) } : {}),
    };
  }
  if (sort === 'company') return { svc_name: word, svc_employee_count: random.pick(['1', '10', '10.0', '9']) };
  return {
    label: word,
    ...(random.chance(0.7) ? { size: random.pick(['1', '2', '2.0', '10']) } : {}),
    ...(random.chance(0.7) ? { tags: random.some(['a', 'b', 'A'], 2) } : {}),
    ...(random.chance(0.7) ? { price: { amount: random.pick(['1', '2.5']), unit: random.pick(['EUR', 'USD']) } } : {}),
    ...(random.chance(0.7) ? { day: random.pick(['2026-01-04', '2026-01-05', '2026-03-31']) } : {}),
    ...(random.chance(0.7) ? { moment: random.pick(['2026-01-04T23:30:00Z', '2026-10-25T01:30:00+02:00']) } : {}),
    ...(random.chance(0.7) ? { state: random.pick(['open', 'closed']) } : {}),
  };
}

const typeOfSort: Readonly<Record<string, string>> = { contact: 'svc_contact', company: 'svc_company', thing: 'thing' };

/** Whether a record is seen by the whole org, or by the caller's user alone. */
type Sight = 'all' | 'mine';

/** Makes the records of one side: the same visible ones, and others that the caller may not see. */
export class Builder {
  readonly #side: Making;
  readonly #density: number;
  readonly #secrets: Secrets;
  readonly #visible = new Map<string, RecordData[]>();
  readonly #hidden = new Map<string, RecordData[]>();

  constructor(side: Making, density: number, secrets: Secrets) {
    this.#side = side;
    this.#density = density;
    this.#secrets = secrets;
  }

  #of(map: Map<string, RecordData[]>, type: string): RecordData[] {
    const known = map.get(type) ?? [];
    map.set(type, known);
    return known;
  }

  /** A visible record: the same values and visible links on both sides, and links to hidden records besides. */
  async show(random: Random, sort: string, index: number, values: object, picks: readonly number[], sight: Sight) {
    const type = typeOfSort[sort] ?? '';
    const toCompany = sort === 'contact' ? 'svc_contact_to_company' : 'thing_to_company';
    const links: LinkData[] = [];
    const link = (association_type: string, from: readonly RecordData[], pick: number) => {
      const target = from[pick % from.length];
      if (target !== undefined) links.push({ association_type, target_id: target.id });
    };
    if (sort !== 'company') {
      for (const pick of sort === 'thing' ? picks.slice(0, 1) : picks)
        link(toCompany, this.#of(this.#visible, 'svc_company'), pick);
    }
    // The first company and the first contact have more links than one page of an include holds.
    if (sort === 'contact') link('svc_contact_to_company', this.#of(this.#visible, 'svc_company'), 0);
    if (sort === 'thing') {
      if (index % 8 !== 7) link('thing_to_person', this.#of(this.#visible, 'svc_contact'), 0);
      for (const pick of picks) link('thing_to_person', this.#of(this.#visible, 'svc_contact'), pick);
      for (const pick of picks) link('thing_to_thing', this.#of(this.#visible, 'thing'), pick);
    }
    if (sort !== 'company' && this.#secrets === 'with secrets') this.#linkHidden(random, sort, picks, link);
    const once = [...new Map(links.map((each) => [`${each.association_type} ${each.target_id}`, each])).values()];
    const properties = { ...values, ...hiddenValues(random, sort, this.#secrets) };
    const record = await make(sight === 'mine' ? this.#side.mine : this.#side.all, type, properties, once);
    if (sight === 'mine') await this.#unshare(record);
    this.#of(this.#visible, type).push(record);
    name(this.#side, `«${sort}${index}»`, record.id);
    name(this.#side, `«created ${sort}${index}»`, String(record.properties['svc_created_at']));
    // So that no two of them are of one millisecond, on either side.
    await sleep(2);
  }

  #linkHidden(
    random: Random,
    sort: string,
    picks: readonly number[],
    link: (association_type: string, from: readonly RecordData[], pick: number) => void,
  ): void {
    const pick = random.below(1_000);
    if (sort === 'contact') {
      link('svc_contact_to_company', this.#of(this.#hidden, 'svc_company'), pick);
      link('person_to_secret', this.#of(this.#hidden, 'secret_place'), pick);
      return;
    }
    // A thing can have one company only, and a visible one must not be replaced.
    if (picks.length === 0) link('thing_to_company', this.#of(this.#hidden, 'svc_company'), pick);
    link('thing_to_person', this.#of(this.#hidden, 'svc_contact'), pick);
    link('thing_to_person', this.#of(this.#hidden, 'secret_person'), pick);
    link('thing_to_thing', this.#of(this.#hidden, 'thing'), pick);
    link('thing_to_secret', this.#of(this.#hidden, 'secret_place'), pick);
  }

  async #unshare({ object_type, id }: RecordData): Promise<void> {
    const link = { association_type: 'svc_record_to_org', target_id: String(this.#side.orgId) };
    await succeed(this.#side.all, [item('dissociate', object_type, { id, ...link })]);
  }

  /** Some hidden records, linked to visible ones. */
  async hide(random: Random): Promise<void> {
    const makers: readonly (() => Promise<RecordData>)[] = [
      () => this.#private('svc_company', { svc_name: `${hiddenWord} alpha`, svc_employee_count: '10' }),
      () =>
        this.#private('svc_contact', { svc_last_name: `Alpha ${hiddenWord}`, svc_lead_score: 'hot' }, [
          'svc_contact_to_company',
          'svc_company',
        ]),
      () =>
        this.#private(
          'thing',
          { label: `alpha ${hiddenWord}`, size: '2', tags: ['a', hiddenWord] },
          ['thing_to_person', 'svc_contact'],
          ['thing_to_thing', 'thing'],
          ['thing_to_company', 'svc_company'],
        ),
      () =>
        this.#make(
          this.#side.all,
          'svc_deal',
          { svc_name: hiddenWord, svc_amount: { amount: '99', unit: 'USD' } },
          ['svc_deal_to_contact', 'svc_contact'],
          ['svc_deal_to_company', 'svc_company'],
        ),
      () =>
        this.#make(
          this.#side.all,
          'svc_note',
          { svc_title: hiddenWord },
          ['svc_note_to_contact', 'svc_contact'],
          ['svc_note_to_company', 'svc_company'],
        ),
      () =>
        this.#make(this.#side.all, 'svc_call', { svc_subject: hiddenWord, svc_started_at: '2026-05-05T05:05:05Z' }, [
          'svc_activity_to_contact',
          'svc_contact',
        ]),
      () => this.#trashed(),
      ...(this.#secrets === 'with secrets'
        ? [
            () => this.#make(this.#side.all, 'secret_place', { secret_size: '7' }),
            () =>
              this.#make(this.#side.all, 'secret_person', { secret_code: hiddenWord }, [
                'secret_to_contact',
                'svc_contact',
              ]),
          ]
        : []),
    ];
    for (const maker of makers) {
      if (random.chance(0.4 * this.#density)) {
        const record = await maker();
        this.#of(this.#hidden, record.object_type).push(record);
        this.#side.hiddenIds.push(record.id);
      }
    }
  }

  #make(
    client: Client,
    type: string,
    properties: Readonly<Record<string, unknown>>,
    ...ways: readonly (readonly [string, string])[]
  ) {
    const links = ways.flatMap(([association_type, target]) => {
      const all = this.#of(this.#visible, target);
      const one = ['thing_to_company', 'svc_deal_to_company'].includes(association_type);
      const ends = one ? all.slice(-1) : new Set([...all.slice(0, 1), ...all.slice(-1)]);
      return [...ends].map(({ id }) => ({ association_type, target_id: id }));
    });
    return make(client, type, properties, links);
  }

  /** A record that is another user's alone. */
  async #private(
    type: string,
    properties: Readonly<Record<string, unknown>>,
    ...ways: readonly (readonly [string, string])[]
  ) {
    const record = await this.#make(this.#side.theirs, type, properties, ...ways);
    await this.#unshare(record);
    return record;
  }

  async #trashed(): Promise<RecordData> {
    const record = await this.#make(this.#side.all, 'thing', { label: 'alpha', size: '10' }, [
      'thing_to_person',
      'svc_contact',
    ]);
    assert.equal((await this.#side.all.delete(pathOfRecord(record))).status, 200);
    // Nothing can be linked to it now.
    return { ...record, object_type: 'trash' };
  }

  /** Gives the hidden records the words by which requests name them; where there are too few, ids of nothing. */
  async finish(random: Random): Promise<void> {
    await this.hide(random);
    // Its address is taken on both sides; who has it is hidden on both.
    const held = await this.#private('svc_contact', { svc_last_name: hiddenWord, svc_email: [heldAddress] });
    this.#side.hiddenIds.push(held.id);
    for (const [index, word] of hiddenNames.entries()) {
      const id = this.#side.hiddenIds.at(-1 - index) ?? absentId.replace(/..$/, String(10 + index));
      name(this.#side, word, id);
    }
  }
}
