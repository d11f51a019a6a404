// The records of definitions that go to the trash with another one, and come back with it: properties and association types
// with their type, options with their property.
import { Problem } from '../../../base/problem.ts';
import type { CustomSchema, StoredProperty, StoredType } from '../../../schema/custom/custom-schema.ts';
import { uniqueKeys } from '../../../schema/indexing/record-keys.ts';
import { platformTypes } from '../../../schema/roles/platform.ts';
import type { RecordRef } from '../../../store/record-ref.ts';
import type { Draft } from '../../unit/draft.ts';
import { restoreDraft, trashDraft } from '../../unit/trash-draft.ts';
import type { Unit } from '../../unit/unit.ts';

interface Child extends RecordRef {
  /** The number of an association type. */
  readonly associationId?: number;
}

/** What goes and comes with a type. The schema has marked the association types that go with it. */
export function childrenOfType({ association_types }: CustomSchema, { id, properties }: StoredType): readonly Child[] {
  const live = properties.filter(({ removed }) => removed === undefined);
  return [
    ...live.flatMap((property) => [...definedBy(platformTypes.property, property.record), ...childrenOf(property)]),
    ...association_types
      .filter(({ removed }) => removed === id)
      .flatMap((association) =>
        definedBy(platformTypes.associationType, association.record).map((ref) => ({
          ...ref,
          associationId: association.id,
        })),
      ),
  ];
}

export function childrenOf({ options = [] }: StoredProperty): readonly Child[] {
  return options.flatMap(({ record }) => definedBy(platformTypes.propertyOption, record));
}

function definedBy(typeId: number, record: string | undefined): readonly Child[] {
  return record === undefined ? [] : [{ typeId, id: record }];
}

/** Locks them; what is returned moves them to the trash. */
export async function trashChildren(unit: Unit, children: readonly Child[]): Promise<() => void> {
  const drafts: Draft[] = [];
  let refs: readonly RecordRef[] = children;
  // Ends, because each step locks some of them.
  while (refs.length > 0) {
    const step = await unit.records.lockForService(refs);
    drafts.push(...step.drafts);
    refs = step.later;
  }
  return () => {
    for (const draft of drafts) trashDraft(unit, draft, null);
  };
}

/** Locks them; what is returned takes them out of the trash. */
export async function restoreChildren(unit: Unit, children: readonly Child[]): Promise<() => void> {
  await unit.records.lockAllTrashed(children);
  const drafts: Draft[] = [];
  for (const { typeId, id } of children) {
    const type = unit.call.session.orgTypes.get(typeId);
    const draft = type && (await unit.records.lockTrashed(type, id));
    if (draft === undefined) continue;
    await refuseTakenName(unit, draft);
    drafts.push(draft);
  }
  return () => {
    for (const draft of drafts) restoreDraft(unit, draft);
  };
}

async function refuseTakenName(unit: Unit, { type, id, properties }: Draft): Promise<void> {
  const keys = uniqueKeys(type, properties);
  await unit.holders.load(keys.map((key) => ({ ...key, typeId: type.id })));
  const [taken] = await unit.holders.taken(type, keys, id);
  if (taken === undefined) return;
  const name = JSON.stringify(properties['svc_name']);
  const detail = `${type.label} ${name} went to the trash with this, and another one has its name now. Delete that first.`;
  throw new Problem('conflict', 'unique_value_taken', detail);
}
