// How much a write adds to what an org stores, estimated from its rows by `store/row-bytes`. The former size of a record
// is derived from what changed, so that nothing stored has to be measured again.
import type { Json } from '../../base/json.ts';
import type { WriteSet } from '../../store/records/write-records.ts';
import { liveBytes, liveFactor, rowBytes } from '../../store/row-bytes.ts';
import { type Draft, type Properties, textOf } from './draft.ts';

/** Of all rows but those of the records themselves. */
export function rowGrowth({ removed, written }: WriteSet): number {
  let bytes = rowBytes.link * (written.links.length - removed.links.length);
  bytes += rowBytes.user * (written.users.length - removed.users.length);
  bytes += rowBytes.externalId * (written.externalIds.length - removed.externalIds.length);
  for (const { changed } of written.entries)
    bytes += rowBytes.entry + (changed === null ? 0 : Buffer.byteLength(changed));
  for (const { value } of written.former) bytes += rowBytes.formerValue + Buffer.byteLength(value);
  return bytes;
}

/** The characters of the words that are to be indexed. */
export function wordCharacters({ written: { search, searchAgain } }: WriteSet): number {
  let characters = 0;
  for (const rows of [search, searchAgain]) for (const { words } of rows) characters += words.length;
  return characters;
}

/** Of the record, with its index rows, unique values and words. */
export function recordGrowth(draft: Draft): number {
  const { stored, place, properties } = draft;
  const more = stored === undefined ? 0 : valueGrowth(stored.record.properties, properties);
  if (stored?.place === 'live' && place === 'live') return liveFactor * more;
  const bytes = Buffer.byteLength(textOf(draft));
  return bytesIn(place, bytes) - (stored === undefined ? 0 : bytesIn(stored.place, bytes - more));
}

function bytesIn(place: Draft['place'], bytes: number): number {
  return place === 'live' ? liveBytes(bytes) : rowBytes.trash + bytes;
}

/** Values that are the same object are not compared: most of a record is. */
function valueGrowth(before: Properties, after: Properties): number {
  if (before === after) return 0;
  let bytes = 0;
  for (const name in after) if (after[name] !== before[name]) bytes += memberBytes(name, after[name] as Json);
  for (const name in before) if (after[name] !== before[name]) bytes -= memberBytes(name, before[name] as Json);
  return bytes;
}

/** A member of an object as JSON text; escapes are not counted. */
function memberBytes(name: string, value: Json | undefined): number {
  if (value === undefined) return 0;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return name.length + Buffer.byteLength(text) + 6;
}
