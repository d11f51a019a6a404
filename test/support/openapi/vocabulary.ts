// The names that requests to an org use: its object types, properties and association types as the service itself lists
// them, and the ids and cursors that answers have shown.
import type { Answer } from '../answer.ts';
import type { Random } from '../random.ts';

export type Schema = Readonly<Record<string, unknown>>;
/** GET of a path below /rest/v1. */
type Ask = (path: string) => Promise<Answer>;

interface FieldFacts {
  readonly name: string;
  readonly value_shape: Schema;
  readonly example: unknown;
  readonly filter_operators: readonly string[];
  readonly aggregations: readonly string[];
}

export interface PropertyFacts {
  readonly name: string;
  readonly field_type: string;
  readonly multi_valued: boolean;
  readonly read_only: boolean;
  readonly options?: readonly { readonly value: string }[];
}

export interface AssociationFacts {
  readonly name: string;
  readonly source_type: string;
  readonly target_type: string;
  readonly direction: 'outgoing' | 'incoming';
}

export interface TypeFacts {
  readonly name: string;
  readonly unique: readonly string[];
  readonly isCreatable: boolean;
  readonly properties: readonly PropertyFacts[];
  readonly associations: readonly AssociationFacts[];
}

/** How many ids of each type, and cursors of each path, are remembered. */
const remembered = 60;

export class Vocabulary {
  readonly types: readonly TypeFacts[];
  readonly #fields: ReadonlyMap<string, FieldFacts>;
  readonly #ids = new Map<string, string[]>();
  readonly #cursors: string[] = [];

  private constructor(types: readonly TypeFacts[], fields: readonly FieldFacts[]) {
    this.types = types;
    this.#fields = new Map(fields.map((field) => [field.name, field]));
  }

  static async read(ask: Ask): Promise<Vocabulary> {
    const data = async (path: string) => {
      const { status, text, body } = await ask(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return body.data;
    };
    const types: TypeFacts[] = [];
    for (const { name, unique_properties: unique, writable_operations: writable } of await data('/objects/')) {
      const { properties } = await data(`/objects/${name}/`);
      const associations = await data(`/objects/${name}/associations/`);
      types.push({ name, unique, isCreatable: writable.includes('create'), properties, associations });
    }
    const vocabulary = new Vocabulary(types, await data('/field_types/'));
    for (const { name } of types) vocabulary.learn(await ask(`/objects/${name}/records/`));
    return vocabulary;
  }

  field(property: PropertyFacts): FieldFacts {
    const field = this.#fields.get(property.field_type);
    if (field === undefined) throw new Error(`The service lists no field type ${property.field_type}.`);
    return field;
  }

  /** An id of the type, if any is known. */
  id(random: Random, type: string): string | undefined {
    const ids = this.#ids.get(type) ?? [];
    return ids.length === 0 ? undefined : random.pick(ids);
  }

  cursor(random: Random): string | undefined {
    return this.#cursors.length === 0 ? undefined : random.pick(this.#cursors);
  }

  /** Remembers the records and cursors of an answer. */
  learn({ status, body }: Answer): void {
    if (status >= 300 || body?.dry_run === true) return;
    for (const each of Array.isArray(body?.data) ? body.data : [body?.data]) {
      // An entry of the feed has an id of its own.
      const id: unknown = each?.record_id ?? each?.id;
      if (typeof id !== 'string' || typeof each.object_type !== 'string') continue;
      if (each.deleted === true || each.type === 'record.deleted') this.#forget(each.object_type, id);
      else this.#note(each.object_type, id);
    }
    for (const cursor of [body?.pagination?.next_cursor, body?.pagination?.changes_cursor]) {
      if (typeof cursor === 'string') keep(this.#cursors, cursor);
    }
  }

  #forget(type: string, id: string): void {
    const ids = this.#ids.get(type) ?? [];
    this.#ids.set(
      type,
      ids.filter((each) => each !== id),
    );
  }

  #note(type: string, id: string): void {
    const ids = this.#ids.get(type) ?? [];
    this.#ids.set(type, ids);
    if (!ids.includes(id)) keep(ids, id);
  }
}

function keep(list: string[], text: string): void {
  list.push(text);
  if (list.length > remembered) list.shift();
}
