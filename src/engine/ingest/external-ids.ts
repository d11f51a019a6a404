// The records of the external ids of a batch: as they are in the database, and as the lines of the batch change them one
// after the other.
import type { ObjectType } from '../../schema/object-type.ts';
import {
  deleteExternalIds,
  type ExternalId,
  findExternalIds,
  insertExternalIds,
} from '../../store/records/external-ids.ts';
import { rowBytes } from '../../store/row-bytes.ts';
import type { Unit } from '../unit/unit.ts';

export class ExternalIds {
  readonly #unit: Unit;
  readonly #type: ObjectType;
  readonly #records = new Map<string, string>();
  readonly #made: ExternalId[] = [];
  readonly #lost: ExternalId[] = [];

  constructor(unit: Unit, type: ObjectType) {
    this.#unit = unit;
    this.#type = type;
  }

  async load(externalIds: readonly string[]): Promise<void> {
    if (externalIds.length === 0) return;
    const distinct = [...new Set(externalIds)];
    for (const found of await findExternalIds(this.#unit.transaction, this.#orgId, this.#type.id, distinct)) {
      this.#records.set(found.externalId, found.recordId);
    }
  }

  recordOf(externalId: string): string | undefined {
    return this.#records.get(externalId);
  }

  /** The record no longer exists, because it was purged from the trash. */
  lose(externalId: string): void {
    const recordId = this.#records.get(externalId);
    if (recordId !== undefined) this.#lost.push({ externalId, recordId });
    this.#records.delete(externalId);
  }

  add(externalId: string, recordId: string): void {
    this.#records.set(externalId, recordId);
    this.#made.push({ externalId, recordId });
  }

  /** Of two transactions with the same new external id, the second waits here for the first, and then runs again. */
  async save(): Promise<void> {
    const { transaction } = this.#unit;
    if (this.#lost.length > 0) await deleteExternalIds(transaction, this.#orgId, this.#type.id, this.#lost);
    if (this.#made.length > 0) await insertExternalIds(transaction, this.#orgId, this.#type.id, this.#made);
    this.#unit.growth += rowBytes.externalId * (this.#made.length - this.#lost.length);
  }

  get #orgId(): number {
    return this.#unit.call.session.caller.orgId;
  }
}
