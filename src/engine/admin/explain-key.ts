// What a key sees and may do, type by type, worked out as a request with it would find it: by its narrowed catalog.
import { parseCredentialId } from '../../access/api-key.ts';
import type { Reach } from '../../access/caller.ts';
import { readGrants } from '../../access/grant.ts';
import { narrow } from '../../access/narrow.ts';
import { Failure } from '../../base/failure.ts';
import type { ObjectType, WriteOperation } from '../../schema/object-type.ts';
import type { Database } from '../../store/database.ts';
import { type ListedKey, listKeys } from '../../store/org/credentials.ts';
import { countVisible } from '../../store/records/count-visible.ts';
import { viewerOf } from '../process/call.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import { requireKnown } from './require-type.ts';

interface ExplainedType {
  readonly name: string;
  /** Besides reading. */
  readonly operations: readonly WriteOperation[];
  /** Properties that do not exist for the key, and those that it reads and others write. */
  readonly hidden: readonly string[];
  readonly locked: readonly string[];
  readonly records: number;
}

interface ExplainedKey {
  readonly key: ListedKey;
  readonly types: readonly ExplainedType[];
}

export async function explainKey(database: Database, credentialId: string): Promise<ExplainedKey> {
  const orgId = parseCredentialId(credentialId)?.orgId;
  const keys = orgId === undefined ? [] : await listKeys(database, orgId);
  const key = keys.find((each) => each.credentialId === credentialId);
  if (key === undefined) {
    throw new Failure('not_found', `There is no key with the id ${credentialId}.`, 'See "orrery key list".');
  }
  return withCommandEngine(database, async (engine) => {
    const { catalog } = await requireKnown(engine, key.orgId);
    const narrowed = narrow(catalog, readGrants(key.grants));
    const caller = { orgId: key.orgId, userId: key.userId, reach: key.reach as Reach };
    const records = await countVisible(database, viewerOf({ session: { caller, catalog: narrowed } }));
    const types = [...narrowed.objectTypes.values()].map((type) =>
      explainType(type, catalog.objectTypes.get(type.name) ?? type, records.get(type.id) ?? 0),
    );
    return { key, types };
  });
}

function explainType(type: ObjectType, whole: ObjectType, records: number): ExplainedType {
  const all = [...whole.properties.values()];
  const isLocked = (name: string) => type.properties.get(name)?.readOnly === true;
  return {
    name: type.name,
    operations: type.writableOperations,
    hidden: all.filter(({ name }) => !type.properties.has(name)).map(({ name }) => name),
    locked: all.filter(({ name, readOnly }) => !readOnly && isLocked(name)).map(({ name }) => name),
    records,
  };
}
