// What a page of the change feed makes of the records that a copy holds. An entry that tells of a version that the copy
// has already is passed over: pages that were loaded after the feed's place show more than the next entries tell.
import type { CopiedRecord } from './sync-store.ts';
import type { Change } from './wire.ts';

/** What the feed does not tell of; a test holds it against the built-in vocabulary. */
export const untoldProperties: ReadonlySet<string> = new Set([
  'svc_created_at',
  'svc_updated_at',
  'svc_last_activity_at',
  'svc_potential_deal_total',
  'svc_weighted_deal_total',
]);

/** A record of a page as the copy keeps it. */
export function toCopied(record: CopiedRecord): CopiedRecord {
  const { id, object_type, version, properties } = record;
  const told = Object.entries(properties).filter(([name]) => !untoldProperties.has(name));
  return { id, object_type, version, properties: Object.fromEntries(told) };
}

/** The record after the entry; undefined when there is none. */
export function applyChange(held: CopiedRecord | undefined, entry: Change): CopiedRecord | undefined {
  const { record_id: id, object_type, version, changed = {} } = entry;
  const isOlder = held !== undefined && BigInt(version) < BigInt(held.version);
  if (isOlder) return held;
  if (entry.type === 'record.deleted') return undefined;
  if (entry.type === 'record.created' || entry.type === 'record.restored') {
    return { id, object_type, version, properties: newValues({}, changed) };
  }
  // What changed before it was deleted, or before the key could see it, is nothing to a copy that does not have it.
  if (held === undefined) return undefined;
  // A write of values and links has one version and several entries: each is applied, in whatever order they come.
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
