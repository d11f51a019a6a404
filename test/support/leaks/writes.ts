// Generated writes, reads of the feed and of single links for the test for leaks. Writes name visible records, hidden ones
// and none; those that succeed change both orgs alike. At most one visible record changes in a request, so that times
// have one order in both orgs.
import { item } from '../batch.ts';
import type { Random } from '../random.ts';
import { heldAddress, hiddenNames } from './builder.ts';
import { hiddenWord } from './hidden-values.ts';
import type { Request } from './requests.ts';
import { visibleCounts } from './world.ts';

/** Records that the writes have made, and how many of each type there may be at once. */
const madeMax = 12;
const kept = (sort: keyof typeof visibleCounts) =>
  Array.from({ length: visibleCounts[sort] }, (_, index) => `«${sort}${index}»`);

interface Subject {
  readonly type: 'svc_contact' | 'thing';
  /** Visible from the beginning; they are changed but never deleted. */
  readonly steady: readonly string[];
  readonly made: string[];
  /** Association types and what they lead to. */
  readonly links: Readonly<Record<string, readonly string[]>>;
}

export class Writes {
  readonly #random: Random;
  readonly #contact: Subject = {
    type: 'svc_contact',
    steady: kept('contact'),
    made: [],
    links: { svc_contact_to_company: kept('company'), svc_record_to_user: ['«me»', '«other»'] },
  };
  readonly #thing: Subject = {
    type: 'thing',
    steady: kept('thing'),
    made: [],
    links: { thing_to_person: kept('contact'), thing_to_company: kept('company'), thing_to_thing: kept('thing') },
  };
  #serial = 0;
  readonly #requests: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** A record that a request has made, by its type and word. */
  note(type: string, word: string): void {
    [this.#contact, this.#thing].find((subject) => subject.type === type)?.made.push(word);
  }

  /** A request that wrote, by its word. */
  noteRequest(word: string): void {
    this.#requests.push(word);
    if (this.#requests.length > madeMax) this.#requests.shift();
  }

  write(): Request {
    const random = this.#random;
    const subject = random.pick([this.#contact, this.#thing]);
    const request = random.oneOf<Request>(
      () => this.#create(subject),
      () => this.#update(subject),
      () => this.#update(subject),
      () => this.#delete(subject),
      () => this.#link(subject),
      () => this.#link(subject),
      () => this.#upsert(),
      () => this.#batch(subject),
      () => this.#batch(subject),
    );
    const headers = {
      ...(random.chance(0.15) ? { 'svc-dry-run': 'true' } : {}),
      // Others use the same texts, in the second org alone.
      ...(random.chance(0.2) && request.body !== undefined ? { 'idempotency-key': `key-${random.below(30)}` } : {}),
      ...(random.chance(0.1) && ['PATCH', 'DELETE'].includes(request.method) ? { 'if-match': '"1"' } : {}),
    };
    return { ...request, headers };
  }

  /** The feed, the links of one record, and what a key can ask about itself. */
  read(): Request {
    const random = this.#random;
    const subject = random.pick([this.#contact, this.#thing]);
    const links = [...Object.keys(subject.links), 'person_to_secret', 'svc_deal_to_contact', 'thing_to_secret', 'nope'];
    const narrowing = random.oneOf(
      () => '',
      () => '',
      () => `&object_type=${random.pick([subject.type, 'svc_company', 'svc_deal', 'secret_person', 'nothing'])}`,
      () => `&record_id=${this.#id(subject)}`,
    );
    const get = (path: string): Request => ({ method: random.chance(0.05) ? 'HEAD' : 'GET', path });
    return random.oneOf<Request>(
      () => get(`/changes/?cursor=«feed»&limit=${random.between(1, 20)}${narrowing}`),
      () => get(`/changes/?cursor=«feed»&limit=${random.between(1, 20)}${narrowing}`),
      () => get(`/changes/?cursor=«begin»&limit=${random.between(1, 9)}${narrowing}`),
      () => get(`${pathOf(subject)}${this.#id(subject)}/associations/${random.pick(links)}/?limit=3`),
      () => get(`${pathOf(subject)}${this.#id(subject)}/`),
      () => get(random.pick(['/self/', '/objects/', '/field_types/', '/', '/openapi.json', '/objects/thing/'])),
    );
  }

  /** A visible record, a hidden one, or none. */
  #id({ steady, made }: Subject): string {
    const random = this.#random;
    return random.chance(0.35) ? this.#hidden() : random.pick([...random.some(steady, 6), ...made]);
  }

  #hidden(): string {
    return this.#random.pick([...hiddenNames, '«absent»']);
  }

  #values({ type }: Subject): Readonly<Record<string, unknown>> {
    const random = this.#random;
    const word = random.pick(['Alpha', 'beta two', 'Gamma', null]);
    if (type === 'thing') {
      const unseen = random.pick(['secret_note', 'serial', 'secret_day', 'moment', 'secret_nothing']);
      const refused = random.chance(0.1) ? { [unseen]: '2026-01-01' } : {};
      return { label: word, size: random.pick(['1', '3.5', 'seven', null]), ...refused };
    }
    const address = random.pick([
      `n${this.#serial++}@visible.example`,
      `c${random.below(visibleCounts.contact)}@visible.example`,
      heldAddress,
    ]);
    return { svc_last_name: word, ...(random.chance(0.4) ? { svc_email: [address] } : {}) };
  }

  #target(subject: Subject): { readonly association_type: string; readonly target_id: string } {
    const random = this.#random;
    const type = random.chance(0.15)
      ? random.pick(['thing_to_secret', 'person_to_secret', 'svc_deal_to_contact'])
      : random.pick(Object.keys(subject.links));
    const ends = subject.links[type] ?? ['«absent»'];
    return { association_type: type, target_id: random.chance(0.3) ? this.#hidden() : random.pick(ends) };
  }

  #create(subject: Subject): Request {
    if (subject.made.length >= madeMax) return this.#delete(subject);
    const associations = this.#random.chance(0.5) ? { associations: [this.#target(subject)] } : {};
    return { method: 'POST', path: pathOf(subject), body: { properties: this.#values(subject), ...associations } };
  }

  #update(subject: Subject): Request {
    const body = { properties: this.#values(subject) };
    return { method: 'PATCH', path: `${pathOf(subject)}${this.#id(subject)}/`, body };
  }

  #delete(subject: Subject): Request {
    const { made } = subject;
    const word = made.length > madeMax / 2 ? (made.shift() ?? '«absent»') : this.#hidden();
    return { method: 'DELETE', path: `${pathOf(subject)}${word}/` };
  }

  #link(subject: Subject): Request {
    const { association_type, target_id } = this.#target(subject);
    const path = `${pathOf(subject)}${this.#id(subject)}/associations/${association_type}/${target_id}/`;
    return { method: this.#random.pick(['PUT', 'DELETE']), path };
  }

  #upsert(): Request {
    const address = this.#random.pick([heldAddress, 'c1@visible.example', 'c2@visible.example']);
    const body = { properties: { svc_email: [address], svc_first_name: this.#random.pick(['Ada', 'Bo']) } };
    return { method: 'PUT', path: `${pathOf(this.#contact)}?match=svc_email`, body };
  }

  /** Items that name hidden records in every place, and one or two that change visible ones. */
  #batch(subject: Subject): Request {
    const random = this.#random;
    const hidden = () =>
      random.oneOf(
        () => item('update', subject.type, { id: this.#hidden(), properties: this.#values(subject) }),
        () => item('delete', subject.type, { id: this.#hidden() }),
        () => item('merge', subject.type, { id: this.#hidden(), duplicate_id: random.pick(subject.steady) }),
        () => item('merge', subject.type, { id: random.pick(subject.steady), duplicate_id: this.#hidden() }),
        () => item('associate', subject.type, { id: this.#hidden(), ...this.#target(subject) }),
        () => item('create', random.pick(['svc_deal', 'secret_person', 'nothing']), { properties: {} }),
        () => item('update', 'svc_company', { id: '«company0»', properties: { svc_name: hiddenWord } }),
      );
    const steady = random.pick(subject.steady);
    const own = random.oneOf<readonly object[]>(
      () => [item('update', subject.type, { id: steady, properties: this.#values(subject) })],
      () => [item('associate', subject.type, { id: steady, ...this.#target(subject) })],
      () => [item('dissociate', subject.type, { id: steady, ...this.#target(subject) })],
      () => [item('delete', subject.type, { id: steady }), item('restore', subject.type, { id: steady })],
      () => [{ operation: 'revert', request_id: random.pick(['«absent»', ...this.#requests]) }],
    );
    const operations = [...random.times(random.between(1, 3), hidden), ...own];
    return { method: 'POST', path: '/batch/', body: { atomic: random.chance(0.3), operations } };
  }
}

function pathOf({ type }: Subject): string {
  return `/objects/${type}/records/`;
}
