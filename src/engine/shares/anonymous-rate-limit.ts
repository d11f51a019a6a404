// The rate limit of requests without a valid key: per address, in the memory of this process. The window of an address
// begins with its first request; when too many addresses are known, new ones share one window.
import type { RatePolicy, RateState } from '../../access/rate-limit.ts';
import type { Clock } from '../../base/clock.ts';
import { anonymousPolicy, bounds, proxyPolicy } from '../../base/limits.ts';
import { networkOf } from './network.ts';
import type { Spent } from './org-rate-limit.ts';

export interface AnonymousRateLimit {
  spend(address: string): Spent;
  /** The same for a probe of monitoring, from a window of its own: other requests must not make a probe fail. */
  spendProbe(address: string): Spent;
  /** The same for a request to sign in: an office behind one address must not be locked out by its own programs. */
  spendSignIn(address: string): Spent;
  /** The same for everybody behind a proxy, who have its address: a stranger must not lock all of them out. */
  spendBehindProxy(address: string): Spent;
  /** The same for a session that this process knows, whatever its address. */
  spendSession(sessionId: string): Spent;
  /** The state that a response reports if its request was not counted. */
  state(address: string): RateState;
}

interface Window {
  endsAtMs: number;
  spent: number;
}

const shared = '(shared)';

export function openAnonymousRateLimit(clock: Clock): AnonymousRateLimit {
  const windows = new Map<string, Window>();

  const windowOf = (address: string, nowMs: number, policy: RatePolicy): Window => {
    const known = windows.get(address);
    if (known !== undefined && nowMs < known.endsAtMs) return known;
    windows.delete(address);
    // Windows end in the order in which they began, so the ended ones are at the front.
    for (const [key, window] of windows) {
      if (nowMs < window.endsAtMs) break;
      windows.delete(key);
    }
    if (windows.size >= bounds.shares.anonymousAddresses && address !== shared) return windowOf(shared, nowMs, policy);
    const window = { endsAtMs: nowMs + policy.windowSeconds * 1_000, spent: 0 };
    windows.set(address, window);
    return window;
  };

  const stateOf = (window: Window, nowMs: number, policy: RatePolicy): RateState => ({
    policy,
    remaining: policy.quota - window.spent,
    // A sum of fractions can be slightly too large: never more than the window.
    resetSeconds: Math.min(policy.windowSeconds, Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000))),
  });

  const spend = (key: string, policy: RatePolicy = anonymousPolicy): Spent => {
    const nowMs = clock.monotonicMs();
    const window = windowOf(key, nowMs, policy);
    const granted = window.spent < policy.quota;
    if (granted) window.spent++;
    return { granted, state: stateOf(window, nowMs, policy) };
  };

  return {
    spend: (address) => spend(networkOf(address)),
    spendProbe: (address) => spend(`probe ${networkOf(address)}`),
    spendSignIn: (address) => spend(`sign-in ${networkOf(address)}`),
    spendBehindProxy: (address) => spend(`proxy ${networkOf(address)}`, proxyPolicy),
    spendSession: (sessionId) => spend(`session ${sessionId}`),
    state: (address) => {
      const nowMs = clock.monotonicMs();
      return stateOf(windowOf(networkOf(address), nowMs, anonymousPolicy), nowMs, anonymousPolicy);
    },
  };
}
