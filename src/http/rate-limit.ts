// What a spent unit of a rate limit means for a request: every answer reports the state, and a request over the quota is
// refused.
import type { RateState } from '../access/rate-limit.ts';
import { Problem } from '../base/problem.ts';
import type { Spent } from '../engine/shares/org-rate-limit.ts';
import type { HttpContext } from './context.ts';

/**
 * Keeps the state of the rate limit, which every answer reports, and refuses the request if the quota does not cover its cost.
 */
export function recordRate(
  context: HttpContext,
  exchange: { rate: RateState | undefined },
  { granted, state }: Spent,
  cost = 1,
): void {
  exchange.rate = state;
  if (granted) return;
  context.metrics.countLimited(state.policy.name);
  throw rateLimited(state, cost);
}

function rateLimited({ policy, resetSeconds }: RateState, cost: number): Problem {
  const who = policy.name === 'org' ? 'The org' : 'An address without a valid key';
  return new Problem(
    'rate_limited',
    policy.name === 'org' ? 'org_limit' : 'anonymous_limit',
    `${who} may spend ${policy.quota} units in ${policy.windowSeconds} seconds, and this request costs ${cost}. ` +
      `Try again in ${resetSeconds} seconds.`,
    { headers: { 'Retry-After': String(resetSeconds) } },
  );
}
