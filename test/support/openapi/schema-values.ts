// Values that match a schema of the document. Where the schema says only "a text", the name of the member says which: a
// type, a property, an id. Conditions and aggregations follow the field type of their property, as a client's would.
import type { Random } from '../random.ts';
import type { AssociationFacts, PropertyFacts, Schema, TypeFacts, Vocabulary } from './vocabulary.ts';

/** Filters are nested at most this deep, and lists are at most this long. */
const depthMax = 3;
const lengthMax = 3;

/** How often an optional member is sent, where it is not as often as others: most cursors are of another request. */
export const wishes: Readonly<Record<string, number>> = { cursor: 0.04, search: 0.15 };

const words = ['Ada', 'ada lovelace', 'Zürich', '東京', '0', 'x', 'ﬁ', ' Two  words ', '😀', 'Ünï'];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'];

export class SchemaValues {
  readonly #random: Random;
  readonly #document: Schema;
  readonly #vocabulary: Vocabulary;
  #type: TypeFacts;
  #association: AssociationFacts | undefined;
  /** The unique property that an upsert goes by. */
  #match: string | undefined;

  constructor(random: Random, document: Schema, vocabulary: Vocabulary) {
    this.#random = random;
    this.#document = document;
    this.#vocabulary = vocabulary;
    this.#type = random.pick(vocabulary.types);
  }

  /** Chooses the type of the next request or item: mostly one that has records, and then one with unique properties. */
  aim(): void {
    const random = this.#random;
    const { types } = this.#vocabulary;
    const filled = types.filter(({ name }) => this.#vocabulary.id(random, name) !== undefined);
    const unique = types.filter((type) => type.unique.length > 0);
    const lists = [types, filled, filled, unique, unique].filter((list) => list.length > 0);
    this.#type = random.pick(random.pick(lists));
    this.#association = undefined;
    this.#match = undefined;
  }

  /** `name` is that of the member or parameter. */
  value(schema: Schema, name: string, depth = 0): unknown {
    const whole = this.#resolved(schema);
    if ('const' in whole) return whole['const'];
    if (Array.isArray(whole['enum'])) return this.#random.pick(whole['enum']);
    const variants = whole['anyOf'] ?? whole['oneOf'];
    if (Array.isArray(variants)) return this.value(this.#variant(variants, depth), name, depth);
    switch (whole['type']) {
      case 'object':
        return this.#object(whole, name, depth);
      case 'array':
        return this.#list(whole, name, depth);
      case 'integer':
      case 'number':
        return this.#number(whole, name);
      case 'boolean':
        return this.#random.chance(0.5);
      case 'string':
        return this.#text(whole, name);
      default:
        return this.#random.pick<unknown>(['1', 'x', true, null, [], {}]);
    }
  }

  #resolved(schema: Schema): Schema {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    let node: unknown = this.#document;
    for (const step of reference.slice(2).split('/')) node = (node as Schema)[step];
    return this.#resolved(node as Schema);
  }

  /** Deep down, a variant that leads no deeper. */
  #variant(variants: readonly Schema[], depth: number): Schema {
    const flat = variants.filter((each) => !JSON.stringify(each).includes('"$ref"'));
    return this.#random.pick(depth >= depthMax && flat.length > 0 ? flat : variants);
  }

  #object(schema: Schema, name: string, depth: number): unknown {
    const members = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
    if (members === undefined) return name === 'properties' ? this.#properties() : {};
    if ('property' in members && 'operator' in members) return this.#condition();
    if ('function' in members) return this.#aggregation();
    if ('object_type' in members) this.aim();
    const required = (schema['required'] ?? []) as readonly string[];
    const made: Record<string, unknown> = {};
    const order = Object.entries(members).sort(([left], [right]) => rank(left) - rank(right));
    for (const [member, part] of order) {
      const isDeep = depth >= depthMax && JSON.stringify(part).includes('"$ref"');
      const share = wishes[member] ?? 0.35;
      if (!required.includes(member) && (isDeep || !this.#random.chance(share))) continue;
      made[member] = this.value(part, member, depth + 1);
    }
    return made;
  }

  #list(schema: Schema, name: string, depth: number): readonly unknown[] {
    const least = Number(schema['minItems'] ?? 0);
    const most = Math.min(Number(schema['maxItems'] ?? lengthMax), least + lengthMax);
    const count = this.#random.between(least, Math.max(least, most));
    return this.#random.times(count, () => this.value((schema['items'] ?? {}) as Schema, name, depth + 1));
  }

  /** Small ones mostly: they are what clients send. */
  #number(schema: Schema, name: string): number {
    const least = Number(schema['minimum'] ?? 0);
    const most = Number(schema['maximum'] ?? least + 1_000);
    // Each second of waiting is a second of the run.
    if (name === 'wait') return this.#random.chance(0.02) ? 1 : 0;
    const kind = this.#random.next();
    if (kind < 0.8) return this.#random.between(least, Math.min(most, least + 10));
    return kind < 0.9 ? this.#random.pick([least, most]) : this.#random.between(least, most);
  }

  #text(schema: Schema, name: string): string {
    const named = this.#named(name);
    if (named !== undefined) return named;
    const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern'], 'u') : undefined;
    const texts = [...words, '1', '10', '0.5', `w${this.#random.below(1_000)}`];
    const fitting = texts.filter((text) => pattern?.test(text) !== false);
    return fitting.length === 0 ? '1' : this.#random.pick(fitting);
  }

  /** A text that the name of its member tells; undefined if any text will do. */
  #named(name: string): string | undefined {
    const random = this.#random;
    const names: Readonly<Record<string, () => string | undefined>> = {
      object_type: () => this.#type.name,
      id: () => this.#id(this.#type.name),
      record_id: () => this.#id(this.#type.name),
      duplicate_id: () => this.#id(this.#type.name),
      target_id: () => this.#id(this.#association?.target_type ?? random.pick(this.#vocabulary.types).name),
      association: () => this.#anyAssociation()?.name ?? 'svc_record_to_org',
      association_type: () => this.#outgoing().name,
      include: () => this.#anyAssociation()?.name ?? 'svc_record_to_org',
      property: () => random.pick(this.#type.properties).name,
      properties: () => random.pick(this.#type.properties).name,
      match: () => this.#matched(),
      cursor: () => this.#vocabulary.cursor(random) ?? 'earliest',
      timezone: () => random.pick(zones),
      as: () => random.pick(['count', 'total', 'n']),
      ref: () => `r${random.below(3)}`,
      'If-Match': () => random.pick(['"1"', '"2"', '"1", "2"', '*', 'W/"1"']),
      // Few of them, so that some come again with the same body, and some with another.
      'Idempotency-Key': () => `key-${random.below(40)}`,
    };
    return Object.hasOwn(names, name) ? names[name]?.() : undefined;
  }

  #id(type: string): string {
    return this.#vocabulary.id(this.#random, type) ?? '01890a5d-ac96-774b-bcce-b302099a8057';
  }

  #anyAssociation(): AssociationFacts | undefined {
    const { associations } = this.#type;
    return associations.length === 0 ? undefined : this.#random.pick(associations);
  }

  #matched(): string {
    const { unique, properties } = this.#type;
    const isRight = unique.length > 0 && this.#random.chance(0.9);
    this.#match = isRight ? this.#random.pick(unique) : this.#random.pick(properties).name;
    return this.#match;
  }

  #outgoing(): AssociationFacts {
    const outgoing = this.#type.associations.filter(({ direction }) => direction === 'outgoing');
    const toOrg = { name: 'svc_record_to_org', source_type: '', target_type: '', direction: 'outgoing' as const };
    const filled = outgoing.filter((each) => this.#vocabulary.id(this.#random, each.target_type) !== undefined);
    const offered = filled.length > 0 && this.#random.chance(0.8) ? filled : outgoing;
    this.#association = offered.length === 0 ? toOrg : this.#random.pick(offered);
    return this.#association;
  }

  #properties(): Readonly<Record<string, unknown>> {
    const writable = this.#type.properties.filter((property) => !property.read_only);
    const matched = writable.filter(({ name }) => name === this.#match);
    const chosen = [...this.#random.some(writable, this.#random.below(4)), ...matched];
    const values = chosen.map((property) => [property.name, this.#stored(property)] as const);
    return Object.fromEntries(values);
  }

  #stored(property: PropertyFacts): unknown {
    if (this.#random.chance(0.1)) return null;
    const one = () => this.#ofField(property);
    return property.multi_valued ? this.#random.times(this.#random.between(1, 2), one) : one();
  }

  /** A value of the property's field type: the service's own example, varied, or one that its schema allows. */
  #ofField(property: PropertyFacts): unknown {
    if (property.options !== undefined) return this.#random.pick(property.options).value;
    const { value_shape: shape, example } = this.#vocabulary.field(property);
    if (typeof example === 'string') {
      const varied = this.#varied(example);
      const pattern = typeof shape['pattern'] === 'string' ? new RegExp(shape['pattern'], 'u') : undefined;
      const allowed = Array.isArray(shape['enum']) ? shape['enum'].includes(varied) : pattern?.test(varied) !== false;
      return allowed ? varied : example;
    }
    if (typeof example === 'object' && example !== null) {
      return this.#random.chance(0.5) ? example : this.value(shape, '');
    }
    return this.value(shape, '');
  }

  /** The text with other digits, and other letters in the place of some. */
  #varied(text: string): string {
    const share = this.#random.pick([0, 0.1, 0.5]);
    return text
      .replaceAll(/[0-9]/g, (digit) => (this.#random.chance(share) ? String(this.#random.below(10)) : digit))
      .replaceAll(/[a-z]/g, (letter) => (this.#random.chance(share / 4) ? this.#random.pick(['a', 'q', 'z']) : letter));
  }

  #condition(): Readonly<Record<string, unknown>> {
    const random = this.#random;
    if (random.chance(0.1)) return { property: 'id', operator: 'in', value: [this.#id(this.#type.name)] };
    const property = random.pick(this.#type.properties);
    const operator = random.pick(this.#vocabulary.field(property).filter_operators);
    const one = () => this.#ofField(property);
    if (operator === 'is_set' || operator === 'is_not_set') return { property: property.name, operator };
    const isList = operator === 'in' || operator === 'not_in';
    const value = isList ? random.times(random.between(1, 4), one) : operator === 'between' ? [one(), one()] : one();
    return { property: property.name, operator, value };
  }

  #aggregation(): Readonly<Record<string, unknown>> {
    const random = this.#random;
    const as = random.chance(0.3) ? { as: `n${random.below(20)}` } : {};
    if (random.chance(0.4)) return { function: 'count', ...as };
    const property = random.pick(this.#type.properties);
    return { function: random.pick(this.#vocabulary.field(property).aggregations), property: property.name, ...as };
  }
}

/** The type of an item, its association type and its match decide what its other members can be. */
function rank(member: string): number {
  return ['object_type', 'association_type', 'match'].indexOf(member) < 0 ? 1 : 0;
}
