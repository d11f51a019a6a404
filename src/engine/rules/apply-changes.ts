// Changes of a record's values: applied, compared for the feed, and held to the size that a record may have.
import { counted } from '../../base/counted.ts';
import { type Json, sameJson } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { type Fault, problemOf } from '../../base/problem.ts';
import type { Changes } from '../../schema/check-values.ts';
import type { Draft, Printed, Properties } from '../unit/draft.ts';
import { bytesOf, isLong, type ShortenedValues } from '../unit/long-values.ts';

/** The values after the changes; the same object if nothing changes. */
export function applyChanges(properties: Properties, changes: Changes): Properties {
  const next: Record<string, Json> = { ...properties };
  let changed = false;
  for (const [name, value] of changes) {
    const former = Object.hasOwn(next, name) ? (next[name] as Json) : null;
    if (sameJson(former, value)) continue;
    changed = true;
    if (value === null) delete next[name];
    else next[name] = value;
  }
  return changed ? next : properties;
}

/** Refuses another value of a property that is given when a record is created, and never changes. */
export function refuseFixed({ type, properties }: Draft, next: Properties, at: string): void {
  const { fixed } = type.groups;
  if (fixed.length === 0 || next === properties) return;
  const faults = fixed.flatMap((name): readonly Fault[] => {
    if (sameJson(properties[name] ?? null, next[name] ?? null)) return [];
    const detail = `${name} is given when a record is created, and cannot change. Leave it out.`;
    return [{ pointer: `${at}/properties/${name}`, property: name, reason: 'fixed_property', detail }];
  });
  if (faults.length > 0) throw problemOf('validation_failed', faults);
}

/** The feed leaves out the dates that the service itself keeps. */
const unreported = new Set(['svc_created_at', 'svc_updated_at']);

/** The old and new values of all properties that differ, as the JSON text of a feed entry, without long ones. */
export function changedValues(before: Properties, after: Properties): ShortenedValues {
  const changed: Record<string, { old?: Json; new?: Json }> = Object.create(null) as Record<string, object>;
  const properties: string[] = [];
  let bytes = 0;
  const short = (value: Json, name: string): Json => {
    if (!isLong(value)) return value;
    if (properties.at(-1) !== name) properties.push(name);
    bytes += bytesOf(value);
    return null;
  };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = Object.hasOwn(before, name) ? (before[name] as Json) : null;
    const fresh = Object.hasOwn(after, name) ? (after[name] as Json) : null;
    if (unreported.has(name) || sameJson(old, fresh)) continue;
    changed[name] = {
      ...(old === null ? {} : { old: short(old, name) }),
      ...(fresh === null ? {} : { new: short(fresh, name) }),
    };
  }
  const text = JSON.stringify(changed);
  return properties.length === 0 ? { text } : { text, leftOut: { properties, bytes } };
}

/**
 * A record grows with every value that is added to it, and is always read whole. Values that the caller does not see, those of
 * the hidden keys, may take as much again: if they counted, their size would show.
 */
export function refuseTooLarge({ properties, text }: Printed, at: string, hiddenKeys: readonly string[] = []): void {
  const { recordBytes } = bounds.engine;
  if (fits(text, recordBytes)) return;
  const hidden = new Set(hiddenKeys);
  const seen = Object.entries(properties).filter(([key]) => !hidden.has(key));
  if (hidden.size > 0 && fits(text, 2 * recordBytes) && fits(JSON.stringify(Object.fromEntries(seen)), recordBytes))
    return;
  const detail = `A record may have at most ${counted(recordBytes)} bytes of values.`;
  throw problemOf('validation_failed', [{ pointer: `${at}/properties`, reason: 'too_long', detail }]);
}

function fits(text: string, bytes: number): boolean {
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;
}
