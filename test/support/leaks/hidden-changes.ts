// Changes of values that the grants of the credential hide, in both orgs: the same records at the same moments, because
// `version` and `svc_updated_at` tell that something has changed. The values themselves differ.
import assert from 'node:assert/strict';
import { sleep } from '../../../src/base/clock.ts';
import { item, runBatch } from '../batch.ts';
import type { Random } from '../random.ts';
import type { Making } from './builder.ts';
import { hiddenValues } from './hidden-values.ts';
import { visibleCounts } from './world.ts';

/** Changes hidden values of one visible record in both orgs, and sometimes a visible one with them. Returns the requests. */
export async function changeHiddenValues(sides: readonly [Making, Making], random: Random): Promise<readonly string[]> {
  const sort = random.pick(['thing', 'company'] as const);
  const word = `«${sort}${random.below(visibleCounts[sort])}»`;
  const visible = sort === 'thing' && random.chance(0.4) ? { label: random.pick(['Alpha', 'Delta four']) } : {};
  const requests: string[] = [];
  for (const [index, side] of sides.entries()) {
    const hidden = hiddenValues(random, sort, index === 0 ? 'without secrets' : 'with secrets');
    const update = { id: side.meanings.get(word) ?? '', properties: { ...hidden, ...visible } };
    const answer = await runBatch(side.all, [item('update', sort === 'thing' ? 'thing' : 'svc_company', update)]);
    assert.equal(answer.status, 200, answer.text);
    requests.push(answer.body.request_id);
  }
  // So that no two writes are of one millisecond, on either side.
  await sleep(2);
  return requests;
}
