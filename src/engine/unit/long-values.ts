// Long values are stored once (see store/feed/former-values): here they are left out of the JSON text of values, where
// null takes their place, and put back. Only texts and lists of texts count as long: they come back exactly as they were
// sent, which the members of an object need not, because the database orders them.
import { type Json, sameJson } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { LeftOut } from '../../store/feed/entries.ts';
import type { FormerValue } from '../../store/feed/former-values.ts';
import type { Properties } from './draft.ts';

/** Values as JSON text, and what is left out of it. */
export interface ShortenedValues {
  readonly text: string;
  readonly leftOut?: LeftOut;
}

export function isLong(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.length > bounds.engine.longValueCharacters;
  if (!Array.isArray(value)) return false;
  let characters = 0;
  for (const each of value as readonly Json[]) {
    if (typeof each !== 'string') return false;
    characters += each.length;
  }
  return characters > bounds.engine.longValueCharacters;
}

/** The values without the long ones; `text` is the JSON text of all. */
export function withoutLong(values: Properties, text: string): ShortenedValues {
  if (text.length <= bounds.engine.longValueCharacters) return { text };
  const kept: Record<string, Json> = { ...values };
  const properties: string[] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(values)) {
    if (!isLong(value)) continue;
    kept[name] = null;
    properties.push(name);
    bytes += bytesOf(value);
  }
  return properties.length === 0 ? { text } : { text: JSON.stringify(kept), leftOut: { properties, bytes } };
}

/** The same for values of which there is only the text. */
export function withoutLongIn(text: string): ShortenedValues {
  return text.length <= bounds.engine.longValueCharacters
    ? { text }
    : withoutLong(JSON.parse(text) as Properties, text);
}

/** The bytes of the JSON text. */
export function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The long values that `after` does not have any more. */
export function formerValues(
  before: Properties,
  after: Properties,
): readonly Pick<FormerValue, 'property' | 'value'>[] {
  return Object.entries(before).flatMap(([property, value]) =>
    isLong(value) && !sameJson(value, after[property] ?? null) ? [{ property, value: JSON.stringify(value) }] : [],
  );
}

/** A long value that is not stored where it should be: the program, not the request, is wrong. */
export class MissingValue extends Error {
  constructor({ recordId, version }: { readonly recordId: string; readonly version: string }, property: string) {
    super(`Record ${recordId} has no stored value of ${property} for version ${version}.`);
  }
}
