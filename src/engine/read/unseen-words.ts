// A search finds records by the words of all their texts, also of those that the caller does not see: values of deleted
// properties, which can come back. Records that have no other such words are left out.
import { firstId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Selection } from '../../query/plan.ts';
import { searchWords } from '../../schema/indexing/search-words.ts';
import { findSuspects } from '../../store/query/suspects.ts';
import type { Call } from '../process/call.ts';

type Suspects = Awaited<ReturnType<typeof findSuspects>>;

export async function withoutUnseen<Plan extends Selection>(call: Call, plan: Plan): Promise<Plan> {
  if (plan.words.length === 0) return plan;
  const { type, words } = plan;
  const { caller, orgTypes } = call.session;
  const seen = new Set(type.groups.searchable);
  const unseen = (orgTypes.get(type.id) ?? type).groups.searchable.filter((key) => !seen.has(key));
  if (unseen.length === 0) return plan;
  const unfound: string[] = [];
  const slice = call.engine.thread.slice(caller.orgId);
  let tested = 0;
  for (let after: string | undefined = firstId; after !== undefined; ) {
    if (tested >= bounds.engine.suspectsMost) throw tooMany();
    const page = { after, limit: bounds.engine.suspectsAtOnce };
    const suspects: Suspects = await findSuspects(call.database, caller.orgId, plan, unseen, page);
    for (const { id, values } of suspects) {
      if (slice.isOver()) await slice.next();
      const own = searchWords(type, values);
      if (!words.every((word) => own.some((each) => each.startsWith(word)))) unfound.push(id);
    }
    tested += suspects.length;
    after = suspects.at(-1)?.id;
  }
  return unfound.length === 0 ? plan : { ...plan, unfound };
}

function tooMany(): Problem {
  const detail =
    'The search finds too many records to test all of them in time. Search for more words, or longer ones.';
  return new Problem('timeout', 'statement_timeout', detail);
}
