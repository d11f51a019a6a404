// A search finds records by the words of all their texts, also of those that the caller does not see: hidden values, and
// values of deleted properties. Records that have no other such words are left out.
import { firstId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Selection } from '../../query/plan.ts';
import { searchWords } from '../../schema/indexing/search-words.ts';
import { findSuspects, type Suspect } from '../../store/query/suspects.ts';
import type { RecordText } from '../../store/records/records.ts';
import type { Call } from '../process/call.ts';

/** The keys of texts that the caller does not see, and by which the search may find a record all the same. */
export function unseenTexts({ session }: Call, { type, words }: Selection): readonly string[] {
  if (words.length === 0) return [];
  const seen = new Set(type.groups.searchable);
  const whole = session.orgTypes.get(type.id) ?? type;
  return whole.groups.searchable.filter((key) => !seen.has(key));
}

/** The ids of the records whose values on the page do not show that they have the words. Of a large page, all. */
export function withoutShown(plan: Selection, found: readonly RecordText[]): readonly string[] {
  const bytes = found.reduce((sum, { properties }) => sum + properties.length, 0);
  const isAsStored = plan.type.groups.renamed.length === 0 && bytes <= bounds.engine.suspectsShownBytes;
  const isShown = ({ id, properties }: RecordText) =>
    hasWords(plan, { id, values: JSON.parse(properties.toString()) as Suspect['values'] });
  return found.filter((record) => !isAsStored || !isShown(record)).map(({ id }) => id);
}

/** Whether the search has found one of these records by unseen texts alone. */
export async function isFoundUnseen(
  call: Call,
  plan: Selection,
  unseen: readonly string[],
  ids: readonly string[],
): Promise<boolean> {
  const { orgId } = call.session.caller;
  for (let from = 0; from < ids.length; from += bounds.engine.suspectsAtOnce) {
    const some = ids.slice(from, from + bounds.engine.suspectsAtOnce);
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const suspects: readonly Suspect[] = await findSuspects(call.database, orgId, plan, unseen, {
        after,
        among: some,
      });
      if (suspects.some((suspect) => !hasWords(plan, suspect))) return true;
      after = suspects.at(-1)?.id;
    }
  }
  return false;
}

/** The plan without all records that the search would find by unseen texts alone. */
export async function withoutUnseen<Plan extends Selection>(
  call: Call,
  plan: Plan,
  unseen: readonly string[],
): Promise<Plan> {
  if (unseen.length === 0) return plan;
  const { orgId } = call.session.caller;
  const unfound: string[] = [];
  const slice = call.engine.thread.slice(orgId);
  let tested = 0;
  for (let after: string | undefined = firstId; after !== undefined; ) {
    if (tested >= bounds.engine.suspectsMost) throw tooMany();
    const suspects: readonly Suspect[] = await findSuspects(call.database, orgId, plan, unseen, { after });
    for (const suspect of suspects) {
      if (slice.isOver()) await slice.next();
      if (!hasWords(plan, suspect)) unfound.push(suspect.id);
    }
    tested += suspects.length;
    after = suspects.at(-1)?.id;
  }
  return unfound.length === 0 ? plan : { ...plan, unfound };
}

function hasWords({ type, words }: Selection, { values }: Suspect): boolean {
  const own = searchWords(type, values);
  return words.every((word) => own.some((each) => each.startsWith(word)));
}

function tooMany(): Problem {
  const detail =
    'The search finds too many records to test all of them in time. Search for more words, or longer ones.';
  return new Problem('timeout', 'statement_timeout', detail);
}
