// Rows as columns: one parameter per column, however many rows a statement writes. Numbers and ids become PostgreSQL's
// array text; what may hold anything becomes JSON, whose text has no line break of its own.

/** For `unnest(… ::integer[])`, `::bigint[]` or `::boolean[]`. */
export function numbers(values: readonly (number | boolean)[]): string {
  return `{${values.join(',')}}`;
}

/** For `unnest(… ::uuid[])`. The values must be ids: nothing in them is quoted. */
export function ids(values: readonly (string | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

/** For `unnest(… ::timestamptz[])`. */
export function times(valuesMs: readonly number[]): string {
  return `{${valuesMs.map((ms) => new Date(ms).toISOString()).join(',')}}`;
}

/** For `json_array_elements_text(… ::json)`, texts of whatever kind, and null. */
export function texts(values: readonly (string | null)[]): string {
  return JSON.stringify(values);
}

/** For `string_to_table(…, E'\n')`: texts of JSON, which hold no raw line break. */
export function lines(values: readonly string[]): string {
  return values.join('\n');
}
