// The JSON of a page of the change feed. Many requests often wait for the same page: it is printed once for all that see
// the same in it. A long page is printed, and handed to each of its readers, in slices of the org's turns on the thread.
import { isoText } from '../../base/clock.ts';
import { JsonText, type TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { atOnce, type Steps } from '../../base/steps.ts';
import { type ReadEntry, readEntry } from '../../engine/feed/entry.ts';
import type { WaitedPage } from '../../engine/feed/wait.ts';
import type { Call } from '../../engine/process/call.ts';
import { inSlices } from '../../engine/shares/thread.ts';
import type { Catalog } from '../../schema/catalog.ts';

type Page = WaitedPage['page'];
type Row = Page['rows'][number];

interface Printing {
  text: JsonText | undefined;
  readonly ends: Promise<JsonText>;
}

/** The texts of long pages that are in use, by what the caller sees. */
const printings = new WeakMap<Page, Map<Catalog, Printing>>();

/** Nothing waits between the end of this and the answer, so that the answer counts before the next one is admitted. */
export async function printEntries(call: Call, page: Page, nameOf: (seq: string) => string): Promise<JsonText> {
  const size = charactersOf(page.rows);
  if (size <= bounds.shares.shortBodyBytes && page.rows.length <= bounds.operations.feedEntriesDefault) {
    return atOnce(steps(call, page.rows, nameOf));
  }
  const known = printings.get(page);
  const ofPage = known ?? new Map<Catalog, Printing>();
  printings.set(page, ofPage);
  // The rows stay until the page is printed. Those that share them count them once.
  const { bytes } = call.engine;
  const { orgId } = call.session.caller;
  const held = known === undefined ? size : 0;
  bytes.take(orgId, held);
  try {
    return await printOnce(call, ofPage, () => steps(call, page.rows, nameOf));
  } finally {
    bytes.remove(orgId, held);
  }
}

async function printOnce(
  { engine, session: { caller, catalog } }: Call,
  ofPage: Map<Catalog, Printing>,
  print: () => Steps<JsonText>,
): Promise<JsonText> {
  const slice = engine.thread.slice(caller.orgId);
  for (;;) {
    await slice.next();
    // While it waited, answers may have become ready that nobody reads: it must not add another one.
    engine.bytes.admit(caller.orgId);
    const known = ofPage.get(catalog);
    if (known === undefined) {
      const printing: Printing = { text: undefined, ends: inSlices(slice, print()) };
      ofPage.set(catalog, printing);
      printing.text = await printing.ends;
      return printing.text;
    }
    if (known.text !== undefined) return known.text;
    await known.ends;
  }
}

/** Entry by entry, so that the values of a long page are not all parsed at the same time. */
function* steps({ engine, session }: Call, rows: readonly Row[], nameOf: (seq: string) => string): Steps<JsonText> {
  const parts: TextPart[] = [];
  let text = '';
  let separator = '[';
  for (const row of rows) {
    const entry = readEntry(session, row, engine.onFault);
    if (entry !== undefined) {
      text += separator + entryText(entry, nameOf);
      separator = ',';
    }
    // A long page is encoded once for all who wait for it, and its bytes take no room in the heap.
    if (text.length >= bounds.http.pieceBytes) {
      parts.push(Buffer.from(text));
      text = '';
    }
    yield;
  }
  return new JsonText([...parts, separator === '[' ? '[]' : `${text}]`]);
}

function charactersOf(rows: readonly Row[]): number {
  let characters = 0;
  for (const { changed, current, leftOut } of rows) {
    characters += (changed?.length ?? 0) + (current?.length ?? 0);
    for (const { old, new: now } of Object.values(leftOut ?? {})) {
      for (const value of [old, now]) if (typeof value === 'string') characters += value.length;
    }
  }
  return characters;
}

/** Put together by hand, because a page has many. Names and ids contain nothing that JSON would escape. */
function entryText(entry: ReadEntry, nameOf: (seq: string) => string): string {
  const { changed, link } = entry;
  const values = changed === undefined ? '' : `,"changed":${JSON.stringify(changed)}`;
  const ends =
    link === undefined
      ? ''
      : `,"association_type":"${link.associationType}","target_type":"${link.targetType}","target_id":"${link.targetId}"`;
  return (
    `{"id":"${nameOf(entry.seq)}","type":"${entry.kind}","object_type":"${entry.typeName}",` +
    `"record_id":"${entry.recordId}","version":"${entry.version}"${values}${ends},"at":"${isoText(entry.atMs)}",` +
    `"principal_id":"${entry.principalId}","request_id":"${entry.requestId}"}`
  );
}
