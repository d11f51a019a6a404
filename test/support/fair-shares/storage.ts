// An org of a test whose storage is watched: what is stored for it, what a count finds, and how it becomes full.
import { sleep } from '../../../src/base/clock.ts';
import { bounds } from '../../../src/base/limits.ts';
import { changeOrg } from '../../../src/engine/admin/orgs.ts';
import { countStorage } from '../../../src/store/org/count-storage.ts';
import { findStorage } from '../../../src/store/org/storage.ts';
import type { Client } from '../client.ts';
import { until, withinASecond } from '../eventually.ts';
import { expectProblem } from '../expect-problem.ts';
import { lowerBounds } from '../lower-bounds.ts';
import { untilUseIsNoted } from '../noted-use.ts';
import { recordsPath } from '../records.ts';
import type { TestService } from '../service.ts';

/** Processes that store their sums at once, so that tests need not wait; for the services that are started after it. */
export function storeSumsSoon(): () => void {
  return lowerBounds({ shares: { storageFlushMs: 100, storageKnownMs: 100 } });
}

export interface StoringOrg {
  readonly orgId: number;
  readonly client: Client;
}

export async function newStoringOrg(service: TestService): Promise<StoringOrg> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const client = service.client((await service.createKey(orgId)).key);
  // What is noted of its key is stored too.
  await untilUseIsNoted(service, client);
  return { orgId, client };
}

/** Bounds what the org may store, and waits until every process knows it. */
export async function boundStorage({ database }: TestService, orgId: number, storageQuota: number): Promise<void> {
  await changeOrg(database, orgId, { storageQuota });
  await sleep(1_000);
}

/** What is stored for the org, once all processes have stored what they added up. */
export async function storedBytes({ database }: TestService, orgId: number): Promise<number> {
  let last = -1;
  await until(async () => {
    const before = last;
    last = (await findStorage(database, orgId))?.bytes ?? -1;
    if (before === last) return true;
    await sleep(bounds.shares.storageFlushMs * 1.5);
    return false;
  });
  return last;
}

/** What the org's rows add up to. */
export async function countedBytes({ database }: TestService, orgId: number): Promise<number> {
  await countStorage(database, orgId);
  return (await findStorage(database, orgId))?.bytes ?? -1;
}

/** Gives the org a quota that it has just reached, and waits until the service refuses. */
export async function fillOrg(service: TestService, { orgId, client }: StoringOrg): Promise<void> {
  await changeOrg(service.database, orgId, { storageQuota: await storedBytes(service, orgId) });
  const refused = await withinASecond(
    () => client.post(recordsPath('svc_note'), { properties: {} }, { 'svc-dry-run': 'true' }),
    ({ status }) => status === 403,
  );
  await expectProblem(refused, 'forbidden', 'storage_quota');
}

export function note(body: string): Readonly<Record<string, string>> {
  return { svc_title: 'A note', svc_body: body };
}
