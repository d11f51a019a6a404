// Finds the records that cells name: by a unique value, a title, an id, or an id in another system. A batch asks once for all of
// its names, and what was found is remembered, up to a bound.
import { readCell } from '../../../../client/import/cells/read-cell.ts';
import type { AnySchema, Client, Filter, Property, RecordOf } from '../../../../client/main.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';
import { formOf, type ImportLink } from '../plan/described-schema.ts';
import { namingProperty } from '../plan/plan-faults.ts';
import { Refusal } from '../refusal.ts';
import { sameKey } from './row-reader.ts';

export interface KnownRecord {
  readonly id: string;
  readonly version: string;
}

/** A type and how its records are named. */
export interface Naming {
  readonly target: ImportLink['targets'][number];
  readonly by: string;
  readonly source?: string | undefined;
}

type Found = RecordOf<AnySchema, string>;
const lone = /[\uD800-\uDFFF]/u;
const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export class KnownRecords {
  readonly #client: Client;
  /** At most two of each name: more say no more. */
  readonly #found = new Map<string, readonly KnownRecord[]>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** The records of the type that the text names, once it was loaded. */
  of(naming: Naming, text: string): readonly KnownRecord[] {
    return this.#found.get(keyOf(naming, text)) ?? [];
  }

  note(naming: Naming, text: string, record: KnownRecord): void {
    this.#remember(keyOf(naming, text), [record]);
  }

  /** Asks for what is not known yet. `again` asks for all: what others may have changed meanwhile. */
  async load(naming: Naming, texts: readonly string[], which: 'new' | 'again'): Promise<void> {
    const unknown = [...new Map(texts.map((text) => [keyOf(naming, text), text]))].filter(
      ([key]) => which === 'again' || !this.#found.has(key),
    );
    if (unknown.length === 0) return;
    const found = new Map<string, KnownRecord[]>();
    const add = (key: string, { id, version }: Found) => {
      const known = found.get(key) ?? [];
      if (known.length < 2 && known.every((each) => each.id !== id)) found.set(key, [...known, { id, version }]);
    };
    const names = unknown.map(([, text]) => text);
    if (naming.by === 'external_id') await this.#loadExternal(naming, names, add);
    else await this.#loadValues(naming, names, add);
    for (const [key] of unknown) this.#remember(key, found.get(key) ?? []);
  }

  async #loadValues(
    naming: Naming,
    texts: readonly string[],
    add: (key: string, record: Found) => void,
  ): Promise<void> {
    const property = naming.by === 'id' ? undefined : namingProperty(naming.target, naming.by);
    if (naming.by !== 'id' && property === undefined) return;
    const values = property === undefined ? texts.filter((text) => idForm.test(text)) : valuesOf(property, texts);
    for (let at = 0; at < values.length; at += importBounds.lookUpValues) {
      await this.#loadSome(naming, property, values.slice(at, at + importBounds.lookUpValues), add);
    }
  }

  /** Without a property, the values are ids. */
  async #loadSome(
    naming: Naming,
    property: Property | undefined,
    value: readonly unknown[],
    add: (key: string, record: Found) => void,
  ): Promise<void> {
    const name = property?.name ?? 'id';
    const filter = { property: name, operator: 'in', value } as Filter<AnySchema, string>;
    const question = { filter, properties: property === undefined ? [] : [name], limit: 500 };
    let pages = 0;
    for await (const page of this.#client.records(naming.target.name).query(question).pages()) {
      for (const record of page.data) {
        const own = property === undefined ? [record.id] : [record.properties[name] ?? []].flat();
        for (const each of own) add(keyIn(naming, property?.field_type, each), record);
      }
      if (page.nextCursor !== null && ++pages >= importBounds.pagesPerLookUp) {
        throw new Refusal(runTexts.tooManyAlike(naming.target.plural_label));
      }
    }
  }

  /** An answer does not tell which of several ids a record has, so each is asked for by itself. */
  async #loadExternal(
    naming: Naming,
    texts: readonly string[],
    add: (key: string, record: Found) => void,
  ): Promise<void> {
    const { target, source = '' } = naming;
    const waiting = [...texts];
    const ask = async () => {
      for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
        const question = { filter: { external_id: text, source }, properties: [], limit: 2 };
        const page = await this.#client.records(target.name).query(question).first();
        for (const record of page.data) add(keyOf(naming, text), record);
      }
    };
    await Promise.all(Array.from({ length: importBounds.lookUpsAtOnce }, ask));
  }

  #remember(key: string, records: readonly KnownRecord[]): void {
    this.#found.delete(key);
    this.#found.set(key, records);
    for (const oldest of this.#found.keys()) {
      if (this.#found.size <= importBounds.targetsRemembered) break;
      this.#found.delete(oldest);
    }
  }
}

function keyOf(naming: Naming, text: string): string {
  const property = naming.by === 'id' ? undefined : namingProperty(naming.target, naming.by);
  return keyIn(naming, property?.field_type, property === undefined ? text : (namedValue(property, text) ?? text));
}

function keyIn({ target, by, source }: Naming, fieldType: string | undefined, value: unknown): string {
  const text = by === 'external_id' ? String(value) : sameKey(fieldType, value);
  return `${target.name} ${by} ${source ?? ''} ${text}`;
}

/** The value that a text means, in the form in which records have it; undefined if it means none. */
export function namedValue(property: Property, text: string): unknown {
  const context = { options: property.options ?? [], currency: undefined, style: {} };
  const reading = readCell({ form: formOf(property), multiValued: false }, text, context);
  return 'fault' in reading ? undefined : reading.value;
}

/** A filter refuses what no value can be, and no record has it. */
function valuesOf(property: Property, texts: readonly string[]): readonly unknown[] {
  const isPossible = (text: string) =>
    text.length <= 1_024 &&
    !text.includes('\u0000') &&
    !lone.test(text) &&
    (property.field_type !== 'number' || /^-?[0-9]{1,18}(\.[0-9]{1,12})?$/.test(text));
  const values = texts.flatMap((text) => namedValue(property, text) ?? []);
  return values.filter((value) => typeof value !== 'string' || isPossible(value));
}
