// Repairs a schema file that does not have its shape, so that its other errors can be found too. Members with an error are
// left out, or replaced by stand-ins that cause no error themselves. A repaired file is only checked, never stored.
import { isObject, pointerStep } from '../../base/json.ts';
import type { Fault } from '../../base/problem.ts';
import { type SchemaFile, schemaFileShape } from './custom-schema.ts';

/** What cannot be said to be missing, because an error of shape may hide it. */
export interface Doubts {
  readonly types: boolean;
  readonly kinds: boolean;
  /** Whether the properties of the type are doubtful. */
  propertiesOf(type: string): boolean;
}

export const noDoubts: Doubts = { types: false, kinds: false, propertiesOf: () => false };

interface Repaired {
  readonly file: SchemaFile;
  readonly doubts: Doubts;
}

/** `faults` are all errors of shape. Returns undefined for a file that is beyond repair. */
export function repairFile(value: unknown, faults: readonly Fault[]): Repaired | undefined {
  if (!isObject(value)) return undefined;
  const repair = new Repair(faults);
  const file = repair.file(value);
  return schemaFileShape.admits(file) ? { file, doubts: repair.doubts() } : undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** The stand-in for a label. */
const label = 'Unnamed';

class Repair {
  /** The pointers of all errors, and of members that may not be there at all. */
  readonly #faulty: ReadonlySet<string>;
  readonly #unknown: ReadonlySet<string>;
  #standIns = 0;
  /** Whether a type, a kind, or the type of some properties cannot be read. */
  #lostType = false;
  #lostKind = false;
  #lostOwner = false;
  /** The types with a property whose name cannot be read. */
  readonly #lostProperties = new Set<string>();

  constructor(faults: readonly Fault[]) {
    this.#faulty = new Set(faults.map(({ pointer = '' }) => pointer));
    const unknown = faults.filter(({ reason }) => reason === 'unknown_member');
    this.#unknown = new Set(unknown.map(({ pointer = '' }) => pointer));
  }

  doubts(): Doubts {
    const propertiesOf = (type: string) => this.#lostType || this.#lostOwner || this.#lostProperties.has(type);
    return { types: this.#lostType, kinds: this.#lostKind, propertiesOf };
  }

  file(value: unknown): Members {
    const { object_types, properties, labels, association_types } = this.#sound(value, '', {
      object_types: [],
      properties: {},
      labels: {},
      association_types: [],
    });
    this.#lostType = this.#lostKind = this.#faulty.has('/object_types');
    const owners = Object.keys(isObject(properties) ? properties : {});
    const lost = owners.some((name) => this.#unknown.has(`/properties${pointerStep(name)}`));
    this.#lostOwner = lost || this.#faulty.has('/properties');
    return {
      object_types: this.#each(object_types, (each, index) => this.#objectType(each, `/object_types/${index}`)),
      properties: this.#every(properties, '/properties', (list, at, type) => this.#propertyList(list, at, type)),
      labels: this.#every(labels, '/labels', (each, at) => this.#typeLabels(each, at)),
      association_types: this.#each(association_types, (each, index) =>
        this.#sound(each, `/association_types/${index}`, {
          name: this.#unnamed(),
          source: 'svc_contact',
          target: 'svc_contact',
          cardinality: 'many_to_one',
        }),
      ),
    };
  }

  #objectType(value: unknown, at: string): Members {
    const type = this.#sound(value, at, { name: this.#unnamed(), label, properties: [] });
    if (this.#isFaulty(at, 'name')) this.#lostType = true;
    if (this.#isFaulty(at, 'kind')) this.#lostKind = true;
    return { ...type, properties: this.#propertyList(type['properties'], `${at}/properties`, String(type['name'])) };
  }

  #propertyList(list: unknown, at: string, type: string): readonly Members[] {
    if (this.#faulty.has(at)) this.#lostProperties.add(type);
    return this.#each(this.#faulty.has(at) ? [] : list, (each, index) => {
      if (this.#isFaulty(`${at}/${index}`, 'name')) this.#lostProperties.add(type);
      return this.#property(each, `${at}/${index}`);
    });
  }

  #property(value: unknown, at: string): Members {
    const property = this.#sound(value, at, { name: this.#unnamed(), label, field_type: 'text' });
    const { options, unique, ...others } = property;
    // The field type decides whether it may have these.
    if (this.#isFaulty(at, 'field_type')) return others;
    if (this.#faulty.has(`${at}/options`)) return { ...property, options: [{ value: this.#unnamed(), label }] };
    if (options === undefined) return property;
    const repaired = this.#each(options, (each, place) =>
      this.#sound(each, `${at}/options/${place}`, { value: this.#unnamed(), label }),
    );
    return { ...property, options: repaired };
  }

  #typeLabels(value: unknown, at: string): Members {
    const labels = this.#sound(value, at, {});
    if (labels['properties'] === undefined) return labels;
    const properties = this.#every(labels['properties'], `${at}/properties`, (each, place) =>
      this.#faulty.has(place) ? label : each,
    );
    return { ...labels, properties };
  }

  /** The members without an error; required ones have a stand-in. */
  #sound(value: unknown, at: string, standIns: Members): Members {
    const members = isObject(value) ? Object.entries(value) : [];
    const sound = members.filter(([name]) => !this.#faulty.has(at + pointerStep(name)));
    return { ...standIns, ...Object.fromEntries(sound) };
  }

  #isFaulty(at: string, member: string): boolean {
    return this.#faulty.has(at) || this.#faulty.has(at + pointerStep(member));
  }

  #each(list: unknown, repair: (value: unknown, index: number) => Members): readonly Members[] {
    return Array.isArray(list) ? list.map(repair) : [];
  }

  /** Every member whose name is allowed. */
  #every(members: unknown, at: string, repair: (value: unknown, at: string, name: string) => unknown): Members {
    const named = Object.entries(isObject(members) ? members : {}).map(
      ([name, value]) => [name, value, at + pointerStep(name)] as const,
    );
    const known = named.filter(([, , place]) => !this.#unknown.has(place));
    return Object.fromEntries(known.map(([name, value, place]) => [name, repair(value, place, name)]));
  }

  /** A name that nothing else has. */
  #unnamed(): string {
    return `unnamed_${++this.#standIns}`;
  }
}
