// One page of all records of a type, in order of creation. For a caller who does not see all of them the page is read as a
// query, because any number of hidden records may lie between two visible ones.
import { limits } from '../../base/limits.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { listRecords, listWithinBytes } from '../../store/records/records.ts';
import { seesAll } from '../../store/viewer.ts';
import { type Call, viewerOf } from '../process/call.ts';
import { queryPage } from './query.ts';
import { type Projection, type ReadRecord, shownProperties } from './records.ts';

interface Page {
  readonly records: readonly ReadRecord[];
  /** The id of the last record, if there are more. */
  readonly last: string | undefined;
}

export async function readPage(
  call: Call,
  type: ObjectType,
  place: { readonly after: string | undefined; readonly limit: number },
  projection: Projection,
): Promise<Page> {
  const { after, limit } = place;
  const viewer = viewerOf(call);
  if (!seesAll(viewer, type.id)) return readVisible(call, type, place, projection);
  const list = limit > limits.pageSizeDefault ? listWithinBytes : listRecords;
  // One more than asked for shows whether there is a next page.
  const found = await list(
    call.database,
    viewer,
    { typeId: type.id, after, limit: limit + 1 },
    shownProperties(call, type, projection),
  );
  const records = found.slice(0, limit);
  const last = records.at(-1);
  const more = found.length > limit || last?.full === true;
  return { records, last: more ? last?.id : undefined };
}

async function readVisible(
  call: Call,
  type: ObjectType,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
  projection: Projection,
): Promise<Page> {
  const position = after === undefined ? undefined : { parts: [], id: after };
  const all = { type, condition: undefined, words: [], sort: [] };
  const { records, last } = await queryPage(call, all, { after: position, limit }, projection);
  return { records, last: last?.id };
}
