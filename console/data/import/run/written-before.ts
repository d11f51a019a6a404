// Finds out about a batch whose answer was lost so long ago that the service no longer knows its key. Rows that create records say
// little of themselves, so records are looked for that were made since and have the values of the rows. A batch is one
// transaction: if one of its records is there, all are.
import type { AnySchema, Client, Filter, RecordOf } from '../../../../client/main.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';
import type { PendingBatch } from '../kept-import.ts';
import type { ImportSchema } from '../plan/described-schema.ts';
import type { BatchRow, Operation } from './prepare-batch.ts';
import { sameKey } from './row-reader.ts';
import { refused, type SettledRow } from './settle-batch.ts';

interface Written {
  readonly requestId: string;
  readonly settled: readonly SettledRow[];
  readonly targetsCreated: number;
}

/** Rows whose records are looked for: others may have been refused. */
const rowsTried = 5;
/** Values by which a record is looked for. */
const valuesAsked = 10;

/** Undefined if the batch was surely not written. */
export async function findWritten(
  client: Client,
  schema: ImportSchema,
  pending: PendingBatch,
): Promise<Written | 'in doubt' | undefined> {
  const typeName = schema.type.name;
  const sent = pending.rows.filter(({ operations }) => operations.length > 0);
  const conditions = sent
    .map((row) => conditionsOf(schema, propertiesOf(pending, row)))
    .filter(({ length }) => length > 0);
  if (conditions.length < Math.min(sent.length, rowsTried)) return 'in doubt';
  const since = new Date(pending.sentAtMs - importBounds.doubtBeforeMs).toISOString();
  const recent = { property: 'svc_created_at', operator: 'gte', value: since } as Filter<AnySchema, string>;
  for (const own of conditions.slice(0, rowsTried)) {
    const question = { filter: { and: [recent, ...own] }, properties: [], limit: 1 };
    const [record] = (await client.records(typeName).query(question).first()).data;
    if (record === undefined) continue;
    const requestId = await findRequest(client, typeName, record.id, '1');
    return requestId === undefined ? 'in doubt' : readWritten(client, schema, pending, requestId);
  }
  return undefined;
}

/** The request that has given the record its version, by the feed. Without a type, the feed of all types is asked. */
export async function findRequest(
  client: Client,
  objectType: string | undefined,
  recordId: string,
  version: string,
): Promise<string | undefined> {
  for await (const page of client.listChanges({ objectType, recordId, limit: 1_000 }).pages()) {
    const entry = page.data.find((each) => each.version === version);
    if (entry !== undefined) return entry.request_id;
  }
  return undefined;
}

/** The rows that nobody can tell of, as a person has decided. */
export function leftOut({ rows }: PendingBatch): readonly SettledRow[] {
  return rows.map((row) => refused(row, runTexts.lineReason(row.line, runTexts.leftOut)));
}

/** What the request has written, and which rows those records are of. */
async function readWritten(
  client: Client,
  schema: ImportSchema,
  pending: PendingBatch,
  requestId: string,
): Promise<Written | 'in doubt'> {
  const { data } = await client.revert({ requestId }, { dryRun: true });
  const written = [...data.reverted, ...data.kept];
  const ids = written.filter(({ object_type: type }) => type === schema.type.name).map(({ id }) => id);
  if (ids.length === 0) return 'in doubt';
  const filter = { property: 'id', operator: 'in', value: ids } as const;
  const records: RecordOf<AnySchema, string>[] = [];
  for await (const page of client.records(schema.type.name).query({ filter, limit: 500 }).pages())
    records.push(...page.data);
  const left = new Set(records);
  const settled = pending.rows.map((row): SettledRow => {
    const values = propertiesOf(pending, row);
    const own = [...left].find((record) => row.operations.length > 0 && hasValues(schema, record, values));
    if (own === undefined) return refused(row, runTexts.lineReason(row.line, runTexts.answerLost));
    left.delete(own);
    return { row, fate: 'created', id: own.id, reason: undefined };
  });
  return { requestId, settled, targetsCreated: written.length - ids.length };
}

function propertiesOf(
  { operations }: PendingBatch,
  { operations: places }: BatchRow,
): Readonly<Record<string, unknown>> {
  const operation = operations[places[0] ?? -1] as (Operation & { readonly properties?: object }) | undefined;
  return { ...operation?.properties };
}

/** Conditions on those values that one condition can name. */
function conditionsOf(
  { properties }: ImportSchema,
  values: Readonly<Record<string, unknown>>,
): readonly Filter<AnySchema, string>[] {
  return Object.entries(values)
    .filter(([name, value]) => properties.get(name)?.field_type !== 'long_text' && !Array.isArray(value))
    .slice(0, valuesAsked)
    .map(([property, value]) => ({ property, operator: 'eq', value }) as Filter<AnySchema, string>);
}

function hasValues(
  { properties }: ImportSchema,
  record: RecordOf<AnySchema, string>,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(values).every(([name, value]) => {
    const type = properties.get(name)?.field_type;
    return sameKey(type, value) === sameKey(type, record.properties[name]);
  });
}
