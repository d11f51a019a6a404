// Feed entries for a caller who does not see all values: one about hidden values alone is not there, and what is hidden does
// not count in the size of a page, which would otherwise show how much it is. Each function is about an entry `c`.
import { bounds } from '../../base/limits.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { entryKinds } from './entries.ts';

/** By type, the keys of the values that the caller does not see. */
export type HiddenKeys = Readonly<Record<number, readonly string[]>>;

/** Whether the caller sees anything of the entry: not, if it is an update of hidden values alone. */
export function tellsSomething(hidden: HiddenKeys): Sql {
  if (!hidesAny(hidden)) return raw('true');
  return sql`not (c.kind = ${entryKinds['record.updated']} and ${isNarrowed(hidden)}
    and ${seenPart(hidden, raw('c.changed'))} = '{}'::jsonb)`;
}

/** The bytes of the entry that count in a page. `current` is the present state of a record that came back into sight. */
export function bytesOf(hidden: HiddenKeys): Sql {
  if (!hidesAny(hidden)) return countedBytes(hidden);
  // To count what is seen, all values are read. Where the page is surely not full, nobody needs to know how much it is.
  return sql`case when c.most < ${bounds.store.changesPageBytes} then 0 else ${countedBytes(hidden)} end`;
}

/** The most bytes that all entries together can count, whatever of them is seen. PostgreSQL stores values in less than so many bytes. */
export function mostBytes(hidden: HiddenKeys): Sql {
  if (!hidesAny(hidden)) return raw('0');
  return sql`sum((coalesce(octet_length(c.changed), 0) + coalesce(octet_length(c.current), 0)) * ${storedPerByte}
    + case when c.left_out is null then 0 else ${bounds.store.changesPageBytes} end) over ()`;
}

/** A value of one character takes a number, two lengths and its padding. */
const storedPerByte = 10;

function countedBytes(hidden: HiddenKeys): Sql {
  const whole = sql`coalesce(octet_length(c.current), 0)`;
  const current = hidesAny(hidden)
    ? sql`case when ${isNarrowed(hidden)} then ${lengthOfSeen(hidden, raw('c.current'))} else ${whole} end`
    : whole;
  return sql`${changedBytes(hidden)} + ${current}`;
}

/** The bytes of the changed values in the entry. */
export function changedBytes(hidden: HiddenKeys): Sql {
  const whole = sql`coalesce(octet_length(c.changed), 0) + coalesce(c.left_out_bytes, 0)`;
  if (!hidesAny(hidden)) return whole;
  // Only the bytes of all values that are left out are known, so those that are seen count as much as any may on average.
  const leftOut = sql`(select count(*) from unnest(c.left_out) as l (key) where ${isSeenKey(hidden, raw('l.key'))})`;
  return sql`case when ${isNarrowed(hidden)}
    then ${lengthOfSeen(hidden, raw('c.changed'))} + ${leftOut} * ${bounds.store.leftOutValueBytes}::integer
    else ${whole} end`;
}

/** The changed values in the entry that the caller sees, as JSON. */
export function seenChanges(hidden: HiddenKeys): Sql {
  const whole = raw('c.changed::json');
  if (!hidesAny(hidden)) return whole;
  return sql`case when ${isNarrowed(hidden)} then ${seenPart(hidden, raw('c.changed'))}::json else ${whole} end`;
}

/** The text of values of the entry as they are read: if it is long, without those that the caller does not see. */
export function seenOfLong(hidden: HiddenKeys, text: Sql): Sql {
  if (!hidesAny(hidden)) return text;
  return sql`case when octet_length(${text}) > ${bounds.store.hiddenTextBytes} and ${isNarrowed(hidden)}
    then ${seenPart(hidden, text)}::text else ${text} end`;
}

/** Whether the caller sees the values of the entry that stand under the key. */
export function isSeenKey(hidden: HiddenKeys, key: Sql): Sql {
  return hidesAny(hidden) ? sql`${key} <> all (${keysOf(hidden)})` : raw('true');
}

function hidesAny(hidden: HiddenKeys): boolean {
  return Object.keys(hidden).length > 0;
}

function isNarrowed(hidden: HiddenKeys): Sql {
  return sql`(${JSON.stringify(hidden)}::jsonb ? c.type_id::text)`;
}

function seenPart(hidden: HiddenKeys, text: Sql): Sql {
  return sql`(${text}::jsonb - ${keysOf(hidden)})`;
}

/** As PostgreSQL stores it, which is about as long as its text and need not be printed. */
function lengthOfSeen(hidden: HiddenKeys, text: Sql): Sql {
  return sql`coalesce(pg_column_size(${seenPart(hidden, text)}), 0)`;
}

function keysOf(hidden: HiddenKeys): Sql {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(hidden)}::jsonb -> c.type_id::text))`;
}
