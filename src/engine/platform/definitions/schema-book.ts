// The schema of the org as a unit changes it, definition by definition. It is read under the lock of the org's
// administration, and stored in the transaction of the records that define it.
import type { Catalog } from '../../../schema/catalog.ts';
import { buildCatalog } from '../../../schema/custom/build-catalog.ts';
import { withColumns } from '../../../schema/custom/change-schema.ts';
import type { CustomSchema } from '../../../schema/custom/custom-schema.ts';
import { isRecorded } from '../../../schema/custom/vocabulary.ts';
import { findCustomSchema, saveCustomSchema } from '../../../store/org/custom-schemas.ts';
import { raiseRevision } from '../../../store/org/revision.ts';
import type { RuleBook, Unit } from '../../unit/unit.ts';
import { Administration } from '../administration.ts';
import { recorded } from './record-definitions.ts';

export class SchemaBook implements RuleBook {
  readonly ending = { phase: 'administration', run: (unit: Unit) => this.#save(unit) } as const;
  #stored: CustomSchema | undefined;
  #schema: CustomSchema | undefined;
  #catalog: Catalog | undefined;

  /** The schema as it is at this point of the unit. */
  async read(unit: Unit): Promise<CustomSchema> {
    if (this.#schema !== undefined) return this.#schema;
    await unit.govern();
    this.#stored = await findCustomSchema(unit.transaction, unit.call.session.caller.orgId);
    this.#schema = isRecorded(this.#stored) ? this.#stored : await recorded(unit, this.#stored);
    return this.#schema;
  }

  /** The catalog of that schema. */
  async catalog(unit: Unit): Promise<Catalog> {
    this.#catalog ??= buildCatalog(await this.read(unit));
    return this.#catalog;
  }

  /** `told` is what the audit says of it: the name of what has changed. */
  change(unit: Unit, next: CustomSchema, told: string): void {
    this.#schema = next;
    this.#catalog = undefined;
    unit.book(Administration).noteSchema(told);
  }

  async #save(unit: Unit): Promise<void> {
    if (this.#schema === undefined || this.#schema === this.#stored) return;
    this.#stored = this.#schema;
    const { orgId } = unit.call.session.caller;
    await saveCustomSchema(unit.transaction, orgId, withColumns(this.#schema));
    await raiseRevision(unit.transaction, orgId);
  }
}
