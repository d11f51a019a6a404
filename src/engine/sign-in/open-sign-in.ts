// What signing in needs for as long as the process serves: digests of passwords, and notes of who was refused.
import type { WorkingEngine } from '../process/call.ts';
import { openPasswordDigests, type PasswordDigests } from './digests.ts';
import { type InventedOrgs, openInventedOrgs } from './invented-orgs.ts';
import { openSignInRefusals, type SignInRefusals } from './refusals.ts';

export interface SignInEngine extends WorkingEngine {
  readonly digests: PasswordDigests;
  readonly refusals: SignInRefusals;
  readonly inventedOrgs: InventedOrgs;
  /** Digests of the cookies that have fetched a bearer from this process: their requests are not those of anybody. */
  readonly knownCookies: Set<string>;
}

export function openSignIn(engine: WorkingEngine, onFault: (error: unknown) => void): SignInEngine {
  return {
    ...engine,
    digests: openPasswordDigests(),
    refusals: openSignInRefusals(engine, onFault),
    inventedOrgs: openInventedOrgs(engine.clock),
    knownCookies: new Set(),
  };
}
