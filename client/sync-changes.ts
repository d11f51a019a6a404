// Applies a page of the change feed to the records of a copy. Entries older than a copied record are skipped: the pages
// were loaded after the place in the feed was taken, so they can be ahead of the next entries.
import type { CopiedRecord } from './sync-store.ts';
import type { Change } from './wire.ts';

/** The properties that the feed leaves out. A test compares them with the built-in vocabulary. */
export const untoldProperties: ReadonlySet<string> = new Set([
  'svc_created_at',
  'svc_updated_at',
  'svc_last_activity_at',
  'svc_potential_deal_total',
  'svc_weighted_deal_total',
]);

/** A record of a page, in the form in which the copy stores it. */
export function toCopied(record: CopiedRecord): CopiedRecord {
  const { id, object_type, version, properties } = record;
  const told = Object.entries(properties).filter(([name]) => !untoldProperties.has(name));
  return { id, object_type, version, properties: Object.fromEntries(told) };
}

/** The record after the entry; undefined if the copy does not have it. */
export function applyChange(held: CopiedRecord | undefined, entry: Change): CopiedRecord | undefined {
  const { record_id: id, object_type, version, changed = {} } = entry;
  const isOlder = held !== undefined && BigInt(version) < BigInt(held.version);
  if (isOlder) return held;
  if (entry.type === 'record.deleted') return undefined;
  if (entry.type === 'record.created' || entry.type === 'record.restored') {
    return { id, object_type, version, properties: newValues({}, changed) };
  }
  // The record has been deleted since, or the key could not see it yet: a copy without it skips its updates.
  if (held === undefined) return undefined;
  // A write of values and links makes several entries with one version: each is applied, in any order.
  if (held.version === version && entry.changed === undefined) return held;
  return { ...held, version, properties: newValues(held.properties, changed) };
}

function newValues(
  values: Readonly<Record<string, unknown>>,
  changed: NonNullable<Change['changed']>,
): Readonly<Record<string, unknown>> {
  const after = new Map(Object.entries(values));
  for (const [name, change] of Object.entries(changed)) {
    if (change.new === undefined) after.delete(name);
    else after.set(name, change.new);
  }
  return Object.fromEntries(after);
}
