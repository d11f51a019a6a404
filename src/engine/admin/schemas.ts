// Shows and extends the custom schema of an org. A change is one row: no table is altered, and every process sees it within
// a second.
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { Fault } from '../../base/problem.ts';
import { applyFile } from '../../schema/custom/apply-file.ts';
import type { CustomSchema, SchemaFile } from '../../schema/custom/custom-schema.ts';
import type { Database } from '../../store/database.ts';
import { findCustomSchema, saveCustomSchema } from '../../store/org/custom-schemas.ts';
import { lockOrg } from '../../store/org/orgs.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import { noteInAudit } from '../platform/note-in-audit.ts';
import type { CommandEngine } from '../process/call.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import { requireOrg } from './orgs.ts';

/** The custom schema of an org as a schema file, which can be applied again. */
export async function showSchema(database: Database, orgId: number): Promise<SchemaFile> {
  await requireOrg(database, orgId);
  return toFile(await findCustomSchema(database, orgId));
}

export interface AppliedSchema {
  readonly faults: readonly Fault[];
  /** Whether the schema differs now: the file may have added or relabelled something. */
  readonly changed: boolean;
  readonly added: SchemaSize;
}

interface SchemaSize {
  readonly objectTypes: number;
  readonly properties: number;
  readonly options: number;
  readonly associationTypes: number;
}

/** Applies a schema file, or changes nothing and returns its errors. */
export async function applySchemaFile(
  database: Database,
  orgId: number,
  file: unknown,
  clock?: Clock,
): Promise<AppliedSchema> {
  const apply = (engine: CommandEngine) =>
    database.transaction(async (transaction) => {
      await requireOrg(transaction, orgId);
      await lockOrg(transaction, orgId);
      const current = await findCustomSchema(transaction, orgId);
      const applied = applyFile(current, file);
      if (applied.faults.length > 0) return refused(applied.faults);
      const changed = !isDeepStrictEqual(applied.schema, current);
      if (changed) {
        await saveCustomSchema(transaction, orgId, applied.schema);
        await noteInAudit(engine, transaction, orgId, { action: 'schema.changed' });
      }
      await raiseRevision(transaction, orgId);
      return { faults: [], changed, added: growth(current, applied.schema) };
    });
  return withCommandEngine(database, apply, clock);
}

function refused(faults: readonly Fault[]): AppliedSchema {
  return { faults, changed: false, added: { objectTypes: 0, properties: 0, options: 0, associationTypes: 0 } };
}

function growth(before: CustomSchema, after: CustomSchema): SchemaSize {
  const [from, to] = [sizeOf(before), sizeOf(after)];
  return {
    objectTypes: to.objectTypes - from.objectTypes,
    properties: to.properties - from.properties,
    options: to.options - from.options,
    associationTypes: to.associationTypes - from.associationTypes,
  };
}

function sizeOf({ object_types, properties, association_types }: CustomSchema): SchemaSize {
  const all = [...object_types.flatMap((type) => type.properties), ...Object.values(properties).flat()];
  return {
    objectTypes: object_types.length,
    properties: all.length,
    options: all.reduce((sum, { options = [] }) => sum + options.length, 0),
    associationTypes: association_types.length,
  };
}

function toFile(schema: CustomSchema): SchemaFile {
  const withoutId = <T extends { readonly id: number }>({ id, ...rest }: T) => rest;
  return {
    object_types: schema.object_types.map((type) => ({
      ...withoutId(type),
      properties: type.properties.map(withoutId),
    })),
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([type, properties]) => [type, properties.map(withoutId)]),
    ),
    labels: schema.labels,
    association_types: schema.association_types.map(withoutId),
  };
}
