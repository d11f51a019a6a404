// Copies that follow the feed while twelve writers write: each ends up exactly as a fresh read shows it, and no reader
// misses an entry or gets one twice (contract 5). On one service, and on two that share a database, so that a long poll
// on one is woken by writes of the other.
import { expect, onTestFinished, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { narrowTypes, runFeed } from '../support/feed/run.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import type { Send } from '../support/plain-requests.ts';
import { startService, type TestService } from '../support/service.ts';

/** How long the writers of one run write, and how much they do at least. */
const effort = { durationMs: 1_500, leastRequests: 200 };

/** The test client, which checks every answer against the contract, in the form that the drivers use. */
function checked(services: readonly TestService[]): (url: string, key: string) => Send {
  return (url, key) => {
    const client = services.find((service) => service.url === url)?.client(key);
    if (client === undefined) throw new Error(`No service is at ${url}.`);
    return (method, path, body) => (body === undefined ? client.call(method, path) : client.send(method, path, body));
  };
}

test.each([
  [1, 20_261, bounds.engine.longValueCharacters],
  // Nearly every value is long, and so not in the entries themselves.
  [2, 20_262, 3],
])('with %i services every copy is exact at the end, with the seed %i', async (count, seed, longValueCharacters) => {
  onTestFinished(lowerBounds({ engine: { longValueCharacters } }));
  const first = await startService();
  const services = [first];
  while (services.length < count) services.push(await startService({ databaseUrl: first.databaseUrl }));
  try {
    const orgId = await first.createOrg({ quota: 1_000_000, windowSeconds: 60 });
    const { key } = await first.createKey(orgId);
    const grants = [{ objectTypes: [...narrowTypes], operations: ['read' as const] }];
    const { key: narrowKey } = await first.createKey(orgId, { grants });
    const urls = services.map(({ url }) => url);
    const report = await runFeed({ urls, key, narrowKey, seed, ...effort, open: checked(services) });
    expect(report.findings.slice(0, 20)).toEqual([]);
    // Enough has happened for the test to be meaningful.
    expect(report.entries).toBeGreaterThan(200);
    expect(report.links).toBeGreaterThan(10);
    expect(await findingsIn(first.database, orgId)).toEqual([]);
  } finally {
    for (const service of services.toReversed()) await service.stop();
  }
});
