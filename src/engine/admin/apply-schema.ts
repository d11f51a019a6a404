// Applies a schema file to an org, completely or not at all: every definition in it becomes a record by the rules of the API.
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { type Fault, Problem } from '../../base/problem.ts';
import { applyFile } from '../../schema/custom/apply-file.ts';
import type { CustomSchema } from '../../schema/custom/custom-schema.ts';
import { withOwnLabels } from '../../schema/custom/own-labels.ts';
import { type DefinitionChange, schemaDifference } from '../../schema/custom/schema-difference.ts';
import { platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import type { Database } from '../../store/database.ts';
import { findDefinition } from '../../store/org/definitions.ts';
import { SchemaBook } from '../platform/definitions/schema-book.ts';
import { type CommandEngine, systemCall } from '../process/call.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import { createRecord, updateRecord } from '../rules/write.ts';
import type { ResolvedLink } from '../unit/link-effect.ts';
import { transact } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { requireKnown } from './require-type.ts';

export interface AppliedSchema {
  readonly faults: readonly Fault[];
  readonly added: NamesByKind;
  /** What was there before and differs now, such as a label. */
  readonly changed: NamesByKind;
}

/** The kinds of definitions in a schema file. */
type Kind = 'object_types' | 'properties' | 'options' | 'association_types';

/** A property has the name "type.name", and an option "type.name=value". */
type NamesByKind = Readonly<Record<Kind, readonly string[]>>;

/** Applies a schema file, or changes nothing and returns its errors. */
export async function applySchemaFile(
  database: Database,
  orgId: number,
  file: unknown,
  clock?: Clock,
): Promise<AppliedSchema> {
  const apply = async (engine: CommandEngine) => {
    const call = systemCall(engine, await requireKnown(engine, orgId));
    return transact(call, (unit) => applyIn(unit, file), 'looked_up');
  };
  try {
    return await withCommandEngine(database, apply, clock);
  } catch (error) {
    if (!(error instanceof Problem) || !error.isRefusal) throw error;
    return refused([{ pointer: '', reason: 'invalid_member', detail: error.message }]);
  }
}

async function applyIn(unit: Unit, file: unknown): Promise<AppliedSchema> {
  const before = liveSchema(await unit.book(SchemaBook).read(unit));
  const applied = applyFile(before, file);
  if (applied.faults.length > 0) return refused(applied.faults);
  const after = withOwnLabels(applied.schema);
  const writer = new DefinitionWriter(unit, before);
  const changes = schemaDifference(before, after);
  for (const change of changes) await writer.write(change);
  return { faults: [], ...namesOf(changes) };
}

/** Without what is in the trash. */
export function liveSchema(schema: CustomSchema): CustomSchema {
  const live = <T extends { readonly removed?: unknown }>(all: readonly T[]) =>
    all.filter(({ removed }) => removed === undefined);
  return {
    ...schema,
    object_types: live(schema.object_types).map((type) => ({ ...type, properties: live(type.properties) })),
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, list]) => [name, live(list)])),
    association_types: live(schema.association_types),
  };
}

const typeNumbers = {
  object_type: platformTypes.objectType,
  built_in_type: platformTypes.objectType,
  property: platformTypes.property,
  built_in_property: platformTypes.property,
  option: platformTypes.propertyOption,
  association_type: platformTypes.associationType,
} as const;

/** How many definitions are in memory before they are written. */
const writtenAtOnce = 500;

class DefinitionWriter {
  readonly #unit: Unit;
  /** The records of definitions, by the names of types and properties. */
  readonly #records = new Map<string, string>();
  #count = 0;

  constructor(unit: Unit, { object_types, properties }: CustomSchema) {
    this.#unit = unit;
    const keep = (key: string, record: string | undefined) => record !== undefined && this.#records.set(key, record);
    for (const { name, record, properties: own } of object_types) {
      keep(name, record);
      for (const each of own) keep(`${name}.${each.name}`, each.record);
    }
    for (const [typeName, list] of Object.entries(properties)) {
      for (const { name, record } of list) keep(`${typeName}.${name}`, record);
    }
  }

  async write(change: DefinitionChange): Promise<void> {
    const unit = this.#unit;
    const typeId = typeNumbers[change.kind];
    const type = unit.call.session.orgTypes.get(typeId);
    if (type === undefined) throw new TypeError(`Every org has the type ${typeId}.`);
    const values = new Map<string, Json>(Object.entries(change.values));
    const record = await this.#recordOf(change);
    const known = record === undefined ? undefined : await unit.records.lock(type, record);
    if (known === undefined) {
      const made = await createRecord(unit, type, values, await this.#links(change), '');
      if (change.kind === 'object_type') this.#records.set(change.name, made.id);
      if (change.kind === 'property') this.#records.set(`${change.of.typeName}.${change.of.name}`, made.id);
    } else await updateRecord(unit, known, values, [], '');
    if (++this.#count % writtenAtOnce === 0) await unit.flush();
  }

  async #recordOf(change: DefinitionChange): Promise<string | undefined> {
    if (change.kind === 'built_in_type') return this.#typeRecord(change.name);
    if (change.kind === 'built_in_property') return this.#propertyRecord(change.of);
    // A title is set once the type has its properties.
    if (change.kind === 'object_type' && 'svc_title_property' in change.values) return this.#typeRecord(change.name);
    return change.record;
  }

  async #typeRecord(name: string): Promise<string> {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    const found = await this.#find({ typeId: platformTypes.objectType, name });
    if (found === undefined) throw new TypeError(`No record defines the type ${name}.`);
    this.#records.set(name, found);
    return found;
  }

  async #propertyRecord({ typeName, name }: { readonly typeName: string; readonly name: string }): Promise<string> {
    const known = this.#records.get(`${typeName}.${name}`);
    if (known !== undefined) return known;
    const owner = await this.#typeRecord(typeName);
    const found = await this.#find({
      typeId: platformTypes.property,
      name,
      owner: { associationTypeId: platformLinks.propertyToType, id: owner },
    });
    if (found === undefined) throw new TypeError(`No record defines the property ${name} of ${typeName}.`);
    return found;
  }

  async #find(wanted: Parameters<typeof findDefinition>[2]): Promise<string | undefined> {
    // The unit itself may have made it.
    await this.#unit.flush();
    return findDefinition(this.#unit.transaction, this.#unit.call.session.caller.orgId, wanted);
  }

  async #links(change: DefinitionChange): Promise<readonly ResolvedLink[]> {
    if (change.kind === 'property') {
      return [this.#link('svc_property', 'svc_property_to_object_type', await this.#typeRecord(change.of.typeName))];
    }
    if (change.kind !== 'option') return [];
    const owner = await this.#propertyRecord(change.of);
    return [this.#link('svc_property_option', 'svc_property_option_to_property', owner)];
  }

  #link(source: string, association: string, targetId: string): ResolvedLink {
    const [pair] = this.#unit.call.session.orgCatalog.pairsFrom(source, association);
    if (pair === undefined) throw new TypeError(`Every org has ${association}.`);
    return { pair, targetId };
  }
}

function refused(faults: readonly Fault[]): AppliedSchema {
  return { faults, ...namesOf([]) };
}

function namesOf(changes: readonly DefinitionChange[]): Pick<AppliedSchema, 'added' | 'changed'> {
  const [added, changed] = [noNames(), noNames()];
  for (const change of changes) {
    const [kind, name] = nameOf(change);
    // The title of a new type follows as a change of its own.
    if ('record' in change && change.record === undefined) added[kind].add(name);
    else if (!added[kind].has(name)) changed[kind].add(name);
  }
  return { added: listed(added), changed: listed(changed) };
}

function noNames(): Record<Kind, Set<string>> {
  return { object_types: new Set(), properties: new Set(), options: new Set(), association_types: new Set() };
}

function listed(names: Readonly<Record<Kind, ReadonlySet<string>>>): NamesByKind {
  return {
    object_types: [...names.object_types],
    properties: [...names.properties],
    options: [...names.options],
    association_types: [...names.association_types],
  };
}

function nameOf(change: DefinitionChange): readonly [kind: Kind, name: string] {
  switch (change.kind) {
    case 'association_type':
      return ['association_types', change.name];
    case 'object_type':
    case 'built_in_type':
      return ['object_types', change.name];
    case 'property':
    case 'built_in_property':
      return ['properties', `${change.of.typeName}.${change.of.name}`];
    case 'option':
      return ['options', `${change.of.typeName}.${change.of.name}=${change.value}`];
  }
}
