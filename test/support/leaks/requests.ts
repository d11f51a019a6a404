// Generated requests for the test for leaks: reads of every kind that name visible records, hidden ones, names that are
// nearly right, and names of nothing. Ids and times are words that each org has its own meaning for.
import type { Random } from '../random.ts';
import { hiddenNames } from './builder.ts';
import { hiddenWord } from './hidden-values.ts';
import { visibleCounts } from './world.ts';

export interface Request {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Facts {
  readonly type: string;
  /** Property and field type. */
  readonly properties: Readonly<Record<string, string>>;
  /** Association and the type at its other end; `any` if it cannot be filtered by. */
  readonly associations: Readonly<Record<string, string>>;
  readonly ids: readonly string[];
}

const everyType = { svc_created_at: 'datetime', svc_updated_at: 'datetime' };
const words = (sort: keyof typeof visibleCounts) =>
  Array.from({ length: visibleCounts[sort] }, (_, index) => `«${sort}${index}»`);
const visibility = { svc_record_to_user: 'any', svc_record_to_org: 'any' };

const contact: Facts = {
  type: 'svc_contact',
  properties: {
    svc_last_name: 'text',
    svc_first_name: 'text',
    svc_email: 'email',
    svc_lead_score: 'select',
    ...everyType,
  },
  associations: { svc_contact_to_company: 'svc_company', thing_to_person: 'thing', ...visibility },
  ids: words('contact'),
};
const company: Facts = {
  type: 'svc_company',
  properties: { svc_name: 'text', svc_employee_count: 'number', svc_domain: 'domain', ...everyType },
  associations: { svc_contact_to_company: 'svc_contact', thing_to_company: 'thing', ...visibility },
  ids: words('company'),
};
const thing: Facts = {
  type: 'thing',
  properties: {
    ...{ label: 'text', tags: 'text', size: 'number', price: 'currency', day: 'date', moment: 'datetime' },
    ...{ state: 'option', ...everyType },
  },
  associations: {
    thing_to_person: 'svc_contact',
    thing_to_company: 'svc_company',
    thing_to_thing: 'thing',
    ...visibility,
  },
  ids: words('thing'),
};
const visible = [contact, company, thing];

const hiddenProperties = [
  ...['svc_potential_deal_total', 'svc_weighted_deal_total', 'svc_last_activity_at', 'secret_code', 'secret_size'],
  ...['secret_note', 'serial', 'secret_day', 'svc_description', 'svc_annual_revenue', 'secret_not', 'serail'],
  ...['svc_potential_deal_totl', 'svc_last_activity', 'secret_cod', 'svc_amount', 'svc_frst_name', 'labl', '__proto__'],
];
const hiddenAssociations = [
  ...['svc_deal_to_contact', 'svc_note_to_contact', 'svc_activity_to_contact', 'svc_contact_to_lifecycle_stage'],
  ...['svc_deal_to_company', 'thing_to_secret', 'secret_to_contact', 'person_to_secret', 'thing_to_secrt'],
  ...['svc_deal_to_contct', 'svc_contact_to_compny', 'thing_to_persn', 'person_to_secre', 'constructor'],
];
const hiddenTypes = [
  ...[
    'svc_deal',
    'svc_note',
    'svc_call',
    'secret_person',
    'secret_place',
    'secret_persn',
    'svc_user',
    'svc_org',
    'nothing',
  ],
];

/** Makes requests; a faulty one names something hidden or wrong in the place of a name. */
export class Requests {
  readonly #random: Random;
  #faults = false;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Request {
    const random = this.#random;
    this.#faults = random.chance(0.4);
    const facts = random.pick(visible);
    const type = random.chance(0.04) ? random.pick(hiddenTypes) : facts.type;
    const records = `/objects/${type}/records/`;
    return random.pick<() => Request>([
      ...Array(4).fill(() => ({ method: 'POST', path: `${records}query/`, body: this.#query(facts) })),
      ...Array(4).fill(() => ({ method: 'POST', path: `${records}aggregate/`, body: this.#aggregate(facts) })),
      () => ({ method: 'GET', path: `${records}${this.#parameters(facts, 'list')}` }),
      () => ({ method: 'GET', path: `${records}${this.#id(facts)}/${this.#parameters(facts, 'record')}` }),
      () => ({ method: 'GET', path: `/objects/${type}/${random.pick(['', 'associations/', 'records/'])}` }),
    ])();
  }

  #query(facts: Facts): Record<string, unknown> {
    const random = this.#random;
    return {
      ...this.#narrowing(facts),
      ...(random.chance(0.5) ? { sort: this.#sort(facts) } : {}),
      ...(random.chance(0.3) ? { properties: random.times(random.between(1, 3), () => this.#property(facts)) } : {}),
      ...(random.chance(0.4) ? { include: this.#include(facts) } : {}),
      ...(random.chance(0.6) ? { limit: random.between(1, 6) } : {}),
      ...(this.#wrong(0.05) ? { cursor: 'abc' } : {}),
    };
  }

  #aggregate(facts: Facts): Record<string, unknown> {
    const random = this.#random;
    const aggregations = [
      { function: 'count' },
      ...random.times(random.below(3), (index) => this.#aggregation(facts, index)),
    ];
    return {
      ...this.#narrowing(facts),
      group_by: random.times(random.below(3), () => this.#key(facts)),
      aggregations,
      ...(random.chance(0.3) ? { having: [this.#having()] } : {}),
      ...(random.chance(0.3) ? { sort: [{ as: 'count', direction: random.pick(['asc', 'desc']) }] } : {}),
      ...(random.chance(0.5) ? { limit: random.between(1, 6) } : {}),
    };
  }

  #aggregation(facts: Facts, index: number): object {
    const property = this.#property(facts);
    const offered: Readonly<Record<string, readonly string[]>> = { number: ['sum', 'avg', 'max'], currency: ['sum'] };
    const names = ['count', 'count_distinct', ...(offered[facts.properties[property] ?? ''] ?? [])];
    return { function: this.#wrong(0.2) ? 'sum' : this.#random.pick(names), property, as: `a${index}` };
  }

  #having(): object {
    const as = this.#wrong(0.3) ? this.#random.pick([...hiddenProperties, 'sum_svc_amount']) : 'count';
    return {
      as,
      operator: this.#random.pick(['gt', 'lt', 'eq', 'neq']),
      value: this.#random.pick(['0', '1', '2', '3']),
    };
  }

  #key(facts: Facts): object {
    const random = this.#random;
    if (random.chance(0.4)) return { association: this.#association(facts), ...this.#direction() };
    const property = this.#property(facts);
    // Times of creation are of different hours in the two orgs, but hardly of different years.
    if (property.startsWith('svc_') && property.endsWith('_at')) return { property, granularity: 'year' };
    if (facts.properties[property] !== 'datetime') return { property };
    return {
      property,
      granularity: random.pick(['hour', 'day', 'week']),
      timezone: random.pick(['UTC', 'Europe/Berlin']),
    };
  }

  #narrowing(facts: Facts): object {
    const random = this.#random;
    return {
      ...(random.chance(0.7) ? { filter: this.#filter(facts, 3, 2) } : {}),
      ...(random.chance(0.25)
        ? { search: random.pick(['alpha', 'Al', hiddenWord, 'xy', 'alpha xy', 'visible', 'b', '7']) }
        : {}),
    };
  }

  #filter(facts: Facts, depth: number, hops: number): object {
    const random = this.#random;
    const list = () => random.times(random.between(1, 3), () => this.#filter(facts, depth - 1, hops));
    if (depth > 1 && random.chance(0.4)) {
      return random.oneOf<object>(
        () => ({ and: list() }),
        () => ({ or: list() }),
        () => ({ not: this.#filter(facts, depth - 1, hops) }),
      );
    }
    if (hops > 0 && random.chance(0.45)) return this.#linked(facts, depth, hops);
    if (random.chance(0.15)) {
      const ids = random.times(random.between(1, 4), () => this.#id(facts));
      return random.chance(0.5)
        ? { property: 'id', operator: 'in', value: ids }
        : { property: 'id', operator: 'eq', value: ids[0] };
    }
    return this.#condition(facts);
  }

  #linked(facts: Facts, depth: number, hops: number): object {
    const random = this.#random;
    const association = this.#association(facts);
    const other = visible.find(({ type }) => type === facts.associations[association]);
    const ids = other?.ids ?? ['«me»', '«other»', '«org»'];
    return {
      association,
      ...this.#direction(),
      operator: random.pick(['exists', 'not_exists']),
      ...(random.chance(0.3) ? { target_id: random.pick([...ids, ...hiddenNames, '«absent»']) } : {}),
      ...((other !== undefined || this.#wrong(0.3)) && random.chance(0.4)
        ? { filter: this.#filter(other ?? contact, depth - 1, hops - 1) }
        : {}),
    };
  }

  #condition(facts: Facts): object {
    const random = this.#random;
    const property = this.#property(facts);
    const is = (operators: readonly string[], values: readonly unknown[]) => ({
      property,
      operator: this.#wrong(0.1) ? 'like' : random.pick(operators),
      value: this.#wrong(0.1) ? { [hiddenWord]: 1 } : random.pick(values),
    });
    if (random.chance(0.2)) return { property, operator: random.pick(['is_set', 'is_not_set']) };
    switch (facts.properties[property]) {
      case 'number':
        return is(['eq', 'neq', 'gt', 'lt'], ['1', '2', '10', '7', '99']);
      case 'currency':
        return is(
          ['eq', 'neq', 'gt'],
          [
            { amount: '1', unit: 'EUR' },
            { amount: '99', unit: 'USD' },
          ],
        );
      case 'date':
        return is(['eq', 'gt', 'lte'], ['2026-01-05', '2026-05-05']);
      case 'datetime':
        return is(['eq', 'gt', 'lt'], [`«created ${random.pick(facts.ids).slice(1, -1)}»`, '2026-05-05T05:05:05Z']);
      case 'select':
        return is(['eq', 'neq'], ['hot', 'cold']);
      case 'option':
        return is(['eq', 'neq'], ['open', 'closed']);
      default:
        return is(['eq', 'neq', 'contains', 'starts_with'], ['alpha', 'b', hiddenWord, 'a', 'c1@visible.example']);
    }
  }

  #sort(facts: Facts): readonly object[] {
    const names = Object.keys(facts.properties).filter((name) => !['tags', 'svc_email'].includes(name));
    return this.#random
      .some(this.#wrong(0.3) ? [...names, ...hiddenProperties] : names, 2)
      .map((property) => ({ property, direction: this.#random.pick(['asc', 'desc']) }));
  }

  #include(facts: Facts): readonly string[] {
    return [...new Set(this.#random.times(this.#random.between(1, 3), () => this.#association(facts)))];
  }

  #parameters(facts: Facts, asked: 'list' | 'record'): string {
    const random = this.#random;
    const parts = [
      ...(random.chance(0.6) ? [`include=${this.#include(facts).join()}`] : []),
      ...(random.chance(0.3) ? [`properties=${this.#property(facts)}`] : []),
      ...(asked === 'list' && random.chance(0.6) ? [`limit=${random.between(1, 6)}`] : []),
    ];
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  #property(facts: Facts): string {
    return this.#random.pick(this.#wrong(0.3) ? hiddenProperties : Object.keys(facts.properties));
  }

  #association(facts: Facts): string {
    return this.#random.pick(this.#wrong(0.3) ? hiddenAssociations : Object.keys(facts.associations));
  }

  #direction(): object {
    return this.#wrong(0.2) ? { direction: this.#random.pick(['incoming', 'outgoing']) } : {};
  }

  #id(facts: Facts): string {
    const { pick, chance } = { pick: this.#random, chance: this.#random.chance(0.4) };
    return chance ? pick.pick([...hiddenNames, '«absent»', 'nothing']) : pick.pick(facts.ids);
  }

  #wrong(probability: number): boolean {
    return this.#faults && this.#random.chance(probability);
  }
}
