// The external ids that a unit of work has asked about, claimed or released, each with the record that it names.

import type { UnitSource } from '../../store/layer/unit-layer.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { ExternalId, ExternalName, FreedId } from '../../store/records/external-ids.ts';
import type { Draft } from './draft.ts';
import type { Claims } from './holder-book.ts';

interface KnownName {
  readonly name: ExternalName;
  /** The record that the id names in the database, and where that record was found. */
  stored: string | undefined;
  place: Draft['place'];
  /** The record that it names from now on. */
  holder: string | undefined;
}

export class ExternalIdBook {
  readonly #source: UnitSource;
  readonly #claims: Claims;
  readonly #placeOf: (ref: RecordRef) => Draft['place'] | undefined;
  readonly #names = new Map<string, KnownName>();

  /** `placeOf` says where a record is, as far as the unit has read or written it. */
  constructor(source: UnitSource, claims: Claims, placeOf: (ref: RecordRef) => Draft['place'] | undefined) {
    this.#source = source;
    this.#claims = claims;
    this.#placeOf = placeOf;
  }

  /** Looks all of these up at once. */
  async load(names: readonly ExternalName[]): Promise<void> {
    const missing = new Map<string, ExternalName>();
    for (const name of names) if (!this.#names.has(keyOf(name))) missing.set(keyOf(name), name);
    if (missing.size === 0) return;
    const { reads, transaction, orgId } = this.#source;
    const found = await reads.findExternalIds(transaction, orgId, [...missing.values()]);
    for (const [key, name] of missing) {
      this.#names.set(key, { name, stored: undefined, place: 'trash', holder: undefined });
    }
    for (const { recordId, place, ...name } of found) {
      this.#names.set(keyOf(name), { name, stored: recordId, place, holder: recordId });
    }
  }

  /** Looks up those that a write claims; the first attempt assumes that they are free (see `Claims`). */
  async loadClaims(names: readonly ExternalName[]): Promise<void> {
    if (this.#claims === 'looked_up') await this.load(names);
  }

  /** The record that the id names, live or in the trash, as far as it was loaded. */
  recordOf(name: ExternalName): string | undefined {
    return this.#names.get(keyOf(name))?.holder;
  }

  /** The live record that the id names, as far as it was loaded. */
  liveRecordOf(name: ExternalName): string | undefined {
    const known = this.#names.get(keyOf(name));
    if (known?.holder === undefined) return undefined;
    const place = this.#placeOf({ typeId: name.typeId, id: known.holder }) ?? known.place;
    return place === 'live' ? known.holder : undefined;
  }

  /** From now on the id names this record. The caller has made sure that it names no other live one. */
  claim(name: ExternalName, recordId: string): void {
    const known = this.#names.get(keyOf(name));
    if (known !== undefined) known.holder = recordId;
    else this.#names.set(keyOf(name), { name, stored: undefined, place: 'live', holder: recordId });
  }

  /** The id names nothing any more. */
  release(name: ExternalName): void {
    const known = this.#names.get(keyOf(name));
    if (known !== undefined) known.holder = undefined;
  }

  /** The rows of these records were removed by statements of another kind. */
  dropAll(recordIds: readonly string[]): void {
    for (const [key, { stored, holder }] of this.#names) {
      if (recordIds.some((id) => id === stored || id === holder)) this.#names.delete(key);
    }
  }

  added(): readonly ExternalId[] {
    return this.#changed().flatMap(({ name, holder }) => (holder === undefined ? [] : [{ ...name, recordId: holder }]));
  }

  removed(): readonly FreedId[] {
    return this.#changed().flatMap(({ name, stored }) => {
      if (stored === undefined) return [];
      return [{ ...name, recordId: stored, isHeld: this.#placeOf({ typeId: name.typeId, id: stored }) !== undefined }];
    });
  }

  markStored(): void {
    for (const known of this.#changed()) {
      known.stored = known.holder;
      known.place = 'live';
    }
  }

  forget(): void {
    this.#names.clear();
  }

  #changed(): readonly KnownName[] {
    return [...this.#names.values()].filter(({ stored, holder }) => stored !== holder);
  }
}

function keyOf({ typeId, source, externalId }: ExternalName): string {
  return `${typeId}/${source.length}/${source}/${externalId}`;
}
