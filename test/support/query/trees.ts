// Generates filters that the service must accept: every operator of every field type, and, or and not, ids, and
// association conditions of one and two hops, within the bounds of contract 9. Arguments are near what records hold.

import type { Random } from '../random.ts';
import { argumentOf } from './arguments.ts';
import { type Filter, type Model, valuesOf } from './model.ts';
import { operatorsOf } from './values.ts';
import { type Direction, endTypes, hiddenTypes, type ModelProperty, pairsOf } from './world.ts';

const mostDepth = 5;
const mostConditions = 50;

interface Room {
  /** The types that a record at this place of the tree can be of. */
  readonly types: readonly string[];
  readonly depth: number;
  readonly hops: number;
}

interface Step {
  readonly association: string;
  readonly direction: Direction;
}

export class Trees {
  readonly #random: Random;
  readonly #model: Model;
  #conditions = 0;

  constructor(random: Random, model: Model) {
    this.#random = random;
    this.#model = model;
  }

  tree(type: string): Filter {
    this.#conditions = 0;
    return this.#grow({ types: [type], depth: mostDepth, hops: 2 });
  }

  /** Each operator of each property of the type, one condition each. */
  everyOperator(type: string): readonly Filter[] {
    return this.#propertiesOf([type]).flatMap((property) =>
      (operatorsOf[property.field_type] ?? []).map((operator) => this.#condition([type], property, operator)),
    );
  }

  #grow(room: Room): Filter {
    const roll = room.depth === 0 || this.#conditions > mostConditions / 2 ? 0 : this.#random.between(0, 9);
    const inner = { ...room, depth: room.depth - 1 };
    const several = () => this.#random.times(this.#random.between(1, 3), () => this.#grow(inner));
    if (roll >= 8 && this.#conditions < mostConditions - 10) return { and: several() };
    if (roll >= 6 && this.#conditions < mostConditions - 10) return { or: several() };
    if (roll === 5) return { not: this.#grow(inner) };
    if (roll >= 3 && room.hops > 0) return this.#association(room);
    return this.#leaf(room.types);
  }

  #leaf(types: readonly string[]): Filter {
    if (this.#random.chance(0.04)) return this.#byId(types);
    const property = this.#random.pick(this.#propertiesOf(types));
    return this.#condition(types, property, this.#random.pick(operatorsOf[property.field_type] ?? []));
  }

  #condition(types: readonly string[], property: ModelProperty, operator: string): Filter {
    this.#conditions++;
    if (operator === 'is_set' || operator === 'is_not_set') return { property: property.name, operator };
    const stored = () => this.#storedValue(types, property);
    return { property: property.name, operator, value: argumentOf(this.#random, property, operator, stored) };
  }

  /** A value that some record has, if one has any. */
  #storedValue(types: readonly string[], property: ModelProperty): unknown {
    const type = this.#random.pick(types);
    const records = [...this.#model.world.records.values()].filter((record) => record.object_type === type);
    for (let tries = 0; tries < 5 && records.length > 0; tries++) {
      const values = valuesOf(this.#random.pick(records), property);
      if (values.length > 0) return this.#random.pick(values);
    }
    return undefined;
  }

  #byId(types: readonly string[]): Filter {
    this.#conditions++;
    const ids = this.#random.times(this.#random.between(1, 8), () => this.#idOf(types));
    return this.#random.chance(0.4)
      ? { property: 'id', operator: 'eq', value: ids[0] }
      : { property: 'id', operator: 'in', value: ids };
  }

  /** Of a record there is, now and then of another type, or none. */
  #idOf(types: readonly string[]): string {
    if (this.#random.chance(0.1)) return this.#random.pick(['nope', '01890a5d-ac96-774b-bcce-b302099a8057', '%']);
    const records = [...this.#model.world.records.values()];
    const wanted = records.filter(({ object_type }) => this.#random.chance(0.1) || types.includes(object_type));
    return this.#random.pick(wanted.length > 0 ? wanted : records).id;
  }

  #association(room: Room): Filter {
    this.#conditions++;
    const step = this.#random.pick(this.#stepsFrom(room.types));
    const { world, caller } = this.#model;
    const ends = endTypes(world, caller, room.types, step.association, step.direction);
    const isPlatform = ends.some((type) => hiddenTypes.includes(type));
    const outgoing = endTypes(world, caller, room.types, step.association, 'outgoing').length > 0;
    const isDefault = step.direction === (outgoing ? 'outgoing' : 'incoming');
    const inner = { types: ends, depth: room.depth - 1, hops: room.hops - 1 };
    const target = isPlatform ? this.#platformId(step.association) : this.#idOf(ends);
    return {
      association: step.association,
      ...(!isDefault || this.#random.chance(0.3) ? { direction: step.direction } : {}),
      operator: this.#random.pick(['exists', 'exists', 'not_exists'] as const),
      ...(this.#random.chance(isPlatform ? 0.7 : 0.25) ? { target_id: target } : {}),
      ...(!isPlatform && this.#random.chance(0.7) ? { filter: this.#grow(inner) } : {}),
    };
  }

  #platformId(association: string): string {
    const links = [...this.#model.world.outgoing.values()].flat().filter(({ name }) => name === association);
    return this.#random.chance(0.2) || links.length === 0 ? '999999' : this.#random.pick(links).target;
  }

  /** The associations that every one of the types has, in the same direction. */
  #stepsFrom(types: readonly string[]): readonly Step[] {
    const { world, caller } = this.#model;
    const names = new Set(pairsOf(world, caller).map(({ name }) => name));
    return [...names]
      .flatMap((association) =>
        (['outgoing', 'incoming'] as const).map((direction): Step => ({ association, direction })),
      )
      .filter((step) =>
        types.every((type) => endTypes(world, caller, [type], step.association, step.direction).length > 0),
      );
  }

  #propertiesOf(types: readonly string[]): readonly ModelProperty[] {
    return types.flatMap((type) => [...(this.#model.world.types.get(type)?.properties.values() ?? [])]);
  }
}
