// The unique values that a unit of work has asked about, claimed or released, each with the record that holds it.
import type { UniqueKey } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { UnitSource } from '../../store/layer/unit-layer.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { UniqueValue } from '../../store/records/unique-values.ts';

/**
 * Whether unique values are looked up before they are claimed. The first attempt assumes that they are free, because they
 * usually are and the key of the table refuses a second holder; after such a refusal they are looked up.
 */
export type Claims = 'assumed' | 'looked_up';

/** A unique value and the record that holds it. */
export interface TakenValue {
  readonly key: UniqueKey;
  readonly holder: string;
}

type ClaimedValue = Pick<UniqueKey, 'propertyId' | 'value'>;

export class HolderBook {
  readonly claims: Claims;
  readonly #source: UnitSource;
  /** Null for a value that nobody holds. */
  readonly #holders = new Map<string, string | null>();

  constructor(source: UnitSource, claims: Claims) {
    this.#source = source;
    this.claims = claims;
  }

  /** The record that holds the value. */
  async of(type: ObjectType, key: UniqueKey): Promise<string | undefined> {
    await this.load([{ typeId: type.id, propertyId: key.propertyId, value: key.value }]);
    return this.#holders.get(keyOf(type.id, key)) ?? undefined;
  }

  async load(values: readonly UniqueValue[]): Promise<void> {
    const missing = values.filter((value) => !this.#holders.has(keyOf(value.typeId, value)));
    if (missing.length === 0) return;
    for (const value of missing) this.#holders.set(keyOf(value.typeId, value), null);
    const { reads, transaction, orgId } = this.#source;
    for (const found of await reads.findHolders(transaction, orgId, missing)) {
      this.#holders.set(keyOf(found.typeId, found), found.recordId);
    }
  }

  /** The records that hold any of these values, as far as they are loaded. */
  loaded(values: readonly UniqueValue[]): readonly RecordRef[] {
    return values.flatMap((value) => {
      const id = this.#holders.get(keyOf(value.typeId, value));
      return id === undefined || id === null ? [] : [{ typeId: value.typeId, id }];
    });
  }

  /** Those of the values that another record holds; values that are assumed to be free are not looked up. */
  async taken(type: ObjectType, keys: readonly UniqueKey[], recordId: string): Promise<readonly TakenValue[]> {
    if (this.claims === 'looked_up') {
      await this.load(keys.map(({ propertyId, value }) => ({ typeId: type.id, propertyId, value })));
    }
    return keys.flatMap((key) => {
      const holder = this.#holders.get(keyOf(type.id, key));
      return holder !== undefined && holder !== null && holder !== recordId ? [{ key, holder }] : [];
    });
  }

  claim(type: ObjectType, keys: readonly ClaimedValue[], recordId: string): void {
    for (const key of keys) this.#holders.set(keyOf(type.id, key), recordId);
  }

  release(type: ObjectType, keys: readonly ClaimedValue[]): void {
    for (const key of keys) this.#holders.set(keyOf(type.id, key), null);
  }

  forget(): void {
    this.#holders.clear();
  }
}

function keyOf(typeId: number, { propertyId, value }: { readonly propertyId: number; readonly value: string }): string {
  return `${typeId}/${propertyId}/${value}`;
}
