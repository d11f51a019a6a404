// Looks up keys that this process does not know. Anybody can invent such keys, so they have a narrow lane of their own:
// few look-ups run at once, addresses take turns, and an address that has used up its anonymous requests comes after all
// others. It still comes: behind a proxy, valid keys share the address of invented ones.
import type { KeyAddress } from '../../access/api-key.ts';
import { isSessionId } from '../../access/sign-in-text.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { Transaction } from '../../store/database.ts';
import { type Credential, findKeys } from '../../store/org/credentials.ts';
import { unavailable } from '../../store/pg-error.ts';
import { findSessionCredentials } from '../../store/sign-in/session-credentials.ts';
import type { AnonymousRateLimit } from './anonymous-rate-limit.ts';
import { networkOf } from './network.ts';

export interface KeyLookups {
  /** The credential that the key or bearer names, for a client at the address; undefined if there is none. */
  find(key: KeyAddress, address: string): Promise<Credential | undefined>;
}

interface Lookup extends KeyAddress {
  readonly line: Line;
  readonly network: string;
  found(credential: Credential | undefined): void;
  failed(error: unknown): void;
}

/** Look-ups of one org. */
type Group = readonly [Lookup, ...Lookup[]];

/** Waiting look-ups by network. */
type Line = Map<string, Set<Lookup>>;

/** `isAway` tells whether the rows of an org are known to be out of reach. */
export function openKeyLookups(
  database: Transaction,
  anonymous: AnonymousRateLimit,
  isAway: (orgId: number) => boolean = () => false,
): KeyLookups {
  const waiting = new WaitingLookups();
  let running = 0;

  const next = (): void => {
    while (running < bounds.shares.keyLookupsAtOnce) {
      const group = waiting.takeGroup();
      if (group === undefined) return;
      running++;
      const [{ orgId }] = group;
      void (isAway(orgId) ? refuse(group) : look(database, orgId, group)).finally(() => {
        running--;
        next();
      });
    }
  };

  return {
    find: (key, address) =>
      new Promise((resolve, reject) => {
        const { remaining } = anonymous.state(address);
        const network = networkOf(address);
        const lookup: Lookup = {
          orgId: key.orgId,
          credentialId: key.credentialId,
          network,
          line: waiting.lineFor(network, remaining),
          found: (credential) => {
            clearTimeout(timer);
            resolve(credential);
          },
          failed: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        };
        const timer = setTimeout(() => waiting.giveUp(lookup), bounds.shares.keyLookupWaitMs);
        waiting.enter(lookup);
        next();
      }),
  };
}

class WaitingLookups {
  /** Those of addresses that have requests left, and the others, which come after them. */
  readonly #first: Line = new Map();
  readonly #later: Line = new Map();
  readonly #ofOrg = new Map<number, Set<Lookup>>();
  #count = 0;

  lineFor(network: string, remaining: number): Line {
    return (this.#first.get(network)?.size ?? 0) < remaining ? this.#first : this.#later;
  }

  /** If too many wait, one of an address without requests left gives up, or else the new one. */
  enter(lookup: Lookup): void {
    addTo(lookup.line, lookup.network, lookup);
    addTo(this.#ofOrg, lookup.orgId, lookup);
    this.#count++;
    if (this.#count > bounds.shares.keyLookupsWaiting) {
      this.giveUp(lookup.line === this.#first ? (nextOf(this.#later) ?? lookup) : lookup);
    }
  }

  /** The next look-up, and others of its org, which cost next to nothing in the same statement. */
  takeGroup(): Group | undefined {
    const turn = nextOf(this.#first) ?? nextOf(this.#later);
    if (turn === undefined) return undefined;
    const others = [...(this.#ofOrg.get(turn.orgId) ?? [])].filter((each) => each !== turn);
    const group: Group = [turn, ...others.slice(0, bounds.shares.keyLookupsTogether - 1)];
    for (const lookup of group) this.#leave(lookup);
    return group;
  }

  /** Refuses a look-up that still waits. */
  giveUp(lookup: Lookup): void {
    if (this.#ofOrg.get(lookup.orgId)?.has(lookup) !== true) return;
    this.#leave(lookup);
    lookup.failed(
      overloaded('Too many requests with keys that are new to this process are waiting; repeat the request.'),
    );
  }

  #leave(lookup: Lookup): void {
    removeFrom(lookup.line, lookup.network, lookup);
    removeFrom(this.#ofOrg, lookup.orgId, lookup);
    this.#count--;
  }
}

/** Those of the credentials that exist: keys, and sessions of people who have signed in. */
export async function findCredentials(
  database: Transaction,
  orgId: number,
  credentialIds: readonly string[],
): Promise<readonly Credential[]> {
  const sessionIds = credentialIds.filter(isSessionId);
  const keyIds = credentialIds.filter((id) => !isSessionId(id));
  const keys = keyIds.length === 0 ? [] : await findKeys(database, orgId, keyIds);
  const sessions = sessionIds.length === 0 ? [] : await findSessionCredentials(database, orgId, sessionIds);
  return [...keys, ...sessions];
}

async function refuse(group: Group): Promise<void> {
  for (const lookup of group) lookup.failed(unavailable());
}

/** Ends every look-up of the group. */
async function look(database: Transaction, orgId: number, group: Group): Promise<void> {
  try {
    const ids = [...new Set(group.map(({ credentialId }) => credentialId))];
    const found = await findCredentials(database, orgId, ids);
    const byId = new Map(found.map((credential) => [credential.credentialId, credential]));
    for (const lookup of group) lookup.found(byId.get(lookup.credentialId));
  } catch (error) {
    for (const lookup of group) lookup.failed(error);
  }
}

/** The oldest look-up of the network whose turn it is, which then waits behind the others. */
function nextOf(line: Line): Lookup | undefined {
  for (const [network, lookups] of line) {
    line.delete(network);
    line.set(network, lookups);
    for (const lookup of lookups) return lookup;
  }
  return undefined;
}

function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}

function removeFrom<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const known = map.get(key);
  known?.delete(value);
  if (known?.size === 0) map.delete(key);
}
