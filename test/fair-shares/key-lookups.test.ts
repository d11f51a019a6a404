// Keys that a process does not know: a flood of invented ones delays neither the keys that it knows nor, for long, a valid
// key that is new to it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newCredentialId, newKey } from '../../src/access/api-key.ts';
import { anonymousPolicy, bounds } from '../../src/base/limits.ts';
import type { Sql } from '../../src/base/sql.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { until } from '../support/eventually.ts';
import { type AddressedAnswer, askFrom } from '../support/fair-shares/from-address.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { movableClock } from '../support/movable-clock.ts';
import { startService, type TestService } from '../support/service.ts';

/** Elsewhere a machine has only one address of its own to ask from. */
const onLinux = test.runIf(process.platform === 'linux');

/** The look-ups that the service runs, each held until the test lets it go. */
class Lookups {
  readonly begun: number[] = [];
  /** The orgs that were asked for on the connections that every request shares. */
  readonly urgent = new Set<number>();
  most = 0;
  held = false;
  #running = 0;
  #release: (() => void)[] = [];

  watch(database: Database): Database {
    return {
      ...database,
      query: <Row extends object>(statement: Sql) => this.#around<Row>(database, statement),
      brief: {
        ...database.brief,
        query: <Row extends object>(statement: Sql) => this.#around<Row>(database.brief, statement),
      },
      urgent: {
        ...database.urgent,
        query: <Row extends object>(statement: Sql) => {
          if (statement.text.includes('org_id = $1')) this.urgent.add(Number(statement.values[0]));
          return database.urgent.query<Row>(statement);
        },
      },
    };
  }

  async #around<Row extends object>(database: Transaction, statement: Sql): Promise<readonly Row[]> {
    if (!statement.text.includes('s.credential_id = any')) return database.query<Row>(statement);
    this.begun.push(Number(statement.values[0]));
    this.most = Math.max(this.most, ++this.#running);
    if (this.held) await new Promise<void>((resolve) => this.#release.push(resolve));
    try {
      return await database.query<Row>(statement);
    } finally {
      this.#running--;
    }
  }

  letAllGo(): void {
    this.held = false;
    for (const release of this.#release.splice(0)) release();
  }
}

const clock = movableClock();
const self = '/rest/v1/self/';
const [flooding, quiet] = ['127.0.0.2', '127.0.0.3'] as const;
let service: TestService;
let lookups: Lookups;
let restoreBounds: () => void;
beforeAll(async () => {
  // A busy machine must not make a difference.
  restoreBounds = lowerBounds({ shares: { keyLookupWaitMs: 120_000 } });
  lookups = new Lookups();
  service = await startService({ clock, adapt: (database) => lookups.watch(database) });
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});
afterEach(() => lookups.letAllGo());
beforeEach(() => {
  clock.advance(anonymousPolicy.windowSeconds * 1_000);
  Object.assign(lookups, { most: 0, held: false });
  lookups.begun.length = 0;
  lookups.urgent.clear();
});

function ask(address: string, key: string): Promise<AddressedAnswer> {
  return askFrom(address, service.port, self, { headers: { authorization: `Bearer ${key}` } });
}

function inventedKey(orgId: number): string {
  return newKey(newCredentialId(orgId));
}

/** Invented keys of as many orgs, sent at once. */
function flood(address: string, count: number, firstOrg = 1_000_000): Promise<readonly AddressedAnswer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(address, inventedKey(firstOrg + index))));
}

async function useUp(address: string): Promise<void> {
  for (let count = 0; count < anonymousPolicy.quota; count += 50) {
    await Promise.all(Array.from({ length: 50 }, () => askFrom(address, service.port, '/rest/v1/')));
  }
  expect((await askFrom(address, service.port, '/rest/v1/')).status).toBe(429);
}

onLinux('invented keys wait in a lane of their own, while keys that the process knows are served', async () => {
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId);
  expect((await ask(quiet, key)).status).toBe(200);
  lookups.begun.length = 0;
  lookups.urgent.clear();
  lookups.held = true;
  const answers = flood(flooding, 40);
  await until(async () => lookups.begun.length >= 2);
  for (let round = 0; round < 3; round++) {
    // A change of the org makes the process read it again, with its keys.
    await service.createKey(orgId);
    clock.advance(1_000);
    expect((await ask(quiet, key)).status).toBe(200);
  }
  expect(lookups.begun).toHaveLength(2);
  lookups.letAllGo();
  expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([401]));
  expect(lookups.most).toBe(bounds.shares.keyLookupsAtOnce);
  // Neither the invented keys nor their orgs were asked for on the connections that all requests need.
  expect(lookups.urgent).toEqual(new Set([orgId]));
});

onLinux('from an address without requests left, a valid key is admitted, and an invented one is refused', async () => {
  await useUp(flooding);
  const { key } = await service.createKey(await service.createOrg());
  expect((await ask(flooding, key)).status).toBe(200);
  const refused = await ask(flooding, inventedKey(5));
  expect([refused.status, refused.reason]).toEqual([429, 'anonymous_limit']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});

onLinux('a look-up that waits too long is told to try again, and counts against nobody', async () => {
  lookups.held = true;
  const first = flood(flooding, 2);
  await until(async () => lookups.begun.length >= 2);
  const restore = lowerBounds({ shares: { keyLookupWaitMs: 50 } });
  const late = await ask(quiet, inventedKey(7)).finally(restore);
  expect([late.status, late.reason, late.headers['retry-after']]).toEqual([503, 'overloaded', '1']);
  expect(late.headers['ratelimit']).toMatch(/^"anonymous";r=300;/);
  lookups.letAllGo();
  expect((await first).map(({ status }) => status)).toEqual([401, 401]);
});

onLinux('requests with the same new key share its look-up', async () => {
  const { key } = await service.createKey(await service.createOrg());
  lookups.held = true;
  const answers = Array.from({ length: 50 }, () => ask(flooding, key));
  await until(async () => lookups.begun.length > 0);
  lookups.letAllGo();
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(lookups.begun).toHaveLength(1);
});

onLinux('a key whose secret is wrong costs no look-up while the process knows the key', async () => {
  const { key, credentialId } = await service.createKey(await service.createOrg());
  expect((await ask(quiet, key)).status).toBe(200);
  const before = lookups.begun.length;
  expect((await ask(quiet, newKey(credentialId))).reason).toBe('key_unknown');
  expect(lookups.begun.length).toBe(before);
  expect((await ask(quiet, key)).status).toBe(200);
});
