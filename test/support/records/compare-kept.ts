// After writers had to do with a database that failed: whether everything that was acknowledged is stored, once, a copy that
// followed the feed is exact, and what is derived from the records agrees with them.
import { openOwnConnection } from '../../../src/store/driver/own-connection.ts';
import { fixedReach } from '../../../src/store/driver/reach.ts';
import { type Copy, differences } from '../feed/copy.ts';
import { everyLine, readFresh } from '../feed/fresh-read.ts';
import { findingsIn } from '../integrity.ts';
import type { Send } from '../plain-requests.ts';
import { compareOwned, compareWrites } from './kept-writes.ts';
import { worksAt } from './marked-writes.ts';
import type { PersistentWriters } from './persistent-writers.ts';

interface Kept {
  readonly findings: readonly string[];
  /** Acknowledged writes that are not stored, and writes that are stored twice. */
  readonly lost: number;
  readonly doubled: number;
  readonly entries: number;
  readonly records: number;
  readonly links: number;
  /** What a read gives, as lines that a copy should have. */
  readonly stored: { readonly lines: readonly string[]; readonly links: readonly string[] };
}

/** `copy` has read the feed from the very first entry to its end. */
export async function compareKept(
  send: Send,
  { writes, owned }: Pick<PersistentWriters, 'writes' | 'owned'>,
  copy: Copy,
): Promise<Kept> {
  const lines = await everyLine(send);
  const { links } = await readFresh(send, ['svc_contact']);
  const versions = new Map(lines.map((line) => /^\S+ (\S+) version (\d+):/.exec(line)?.slice(1) as [string, string]));
  const { lost, doubled, others } = compareWrites(writes, copy.entries);
  const findings = [
    ...[...lost, ...doubled, ...others],
    ...compareOwned(owned, versions, new Set(links)),
    ...differences('the copy', copy.lines(), lines),
    ...differences('the copy', copy.linkLines([worksAt]), links),
    ...copy.end().map((what) => `the copy: ${what}`),
  ];
  const counts = { entries: copy.entries.length, records: lines.length, links: links.length };
  return { findings, lost: lost.length, doubled: doubled.length, ...counts, stored: { lines, links } };
}

/** Reads the database beside the service, which has nothing to do. */
export async function integrityFindings(
  place: { readonly host: string; readonly port: number },
  name: string,
  orgId: number,
): Promise<readonly string[]> {
  const database = await openOwnConnection(fixedReach({ ...place, user: 'orrery', database: name }, name));
  try {
    return await findingsIn(database, orgId);
  } finally {
    await database.close();
  }
}
