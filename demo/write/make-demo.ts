// Creates the demo org with all its data in one transaction, so that an interrupted start leaves nothing behind and the next
// one starts over.
import { fullGrant, type Grant } from '../../src/access/grant.ts';
import { sleep, systemClock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { asString } from '../../src/base/json.ts';
import { orgPolicyDefault } from '../../src/base/limits.ts';
import { applySchemaFile } from '../../src/engine/admin/apply-schema.ts';
import { issueKey } from '../../src/engine/admin/keys.ts';
import { createMember } from '../../src/engine/admin/members.ts';
import { createOrg } from '../../src/engine/admin/orgs.ts';
import { openDirectory } from '../../src/engine/process/directory.ts';
import type { Refs } from '../../src/operations/shared/batch-item.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { joined } from '../../src/store/driver/joined-database.ts';
import { listOrgs, lockFirstOrg } from '../../src/store/org/orgs.ts';
import { addStorage } from '../../src/store/org/storage.ts';
import { listRecords } from '../../src/store/records/records.ts';
import { holdStatistics } from '../../src/store/records/statistics.ts';
import { type Step, stageAs } from '../steps/step.ts';
import { type Story, tellStory } from '../steps/tell-story.ts';
import { demoSchema } from '../story/schema.ts';
import { demoUsers } from '../story/users.ts';
import { openSetClock, type SetClock, writeHistory } from './history.ts';

export interface DemoKeys {
  /** Grants everything. */
  readonly full: string;
  /** Reads contacts and companies only. */
  readonly limited: string;
}

export interface Demo {
  readonly orgId: number;
  readonly keys: DemoKeys;
  /** The number of records of each type. */
  readonly counts: ReadonlyMap<string, number>;
}

/** How long a process waits for another one that is creating the demo, and how often it checks. */
const waitMs = 60_000;
const checkMs = 100;

const limitedGrant: Grant = { objectTypes: ['svc_contact', 'svc_company'], operations: ['read'] };

/**
 * Undefined if an org exists. `keep` stores the keys; it runs before the commit, because keys lost with the process would
 * leave an org that nobody can use.
 */
export async function makeDemo(
  database: Database,
  nowMs: number,
  keep: (keys: DemoKeys) => Promise<void>,
): Promise<Demo | undefined> {
  return database.transaction(async (transaction) => {
    await waitForTurn(transaction);
    if ((await listOrgs(transaction)).length > 0) return undefined;
    await holdStatistics(transaction);
    const inside = joined(database, transaction);
    const story = tellStory(nowMs);
    const clock = openSetClock(story.begunAtMs);
    const { quota: rateQuota, windowSeconds: rateWindowSeconds } = orgPolicyDefault;
    const org = { name: 'Demo', currency: 'USD', rateQuota, rateWindowSeconds, storageQuota: null };
    const orgId = await createOrg(inside, org, clock);
    await writeStory(inside, orgId, clock, story);
    const keys = {
      full: await makeKey(inside, orgId, 'demo', fullGrant),
      limited: await makeKey(inside, orgId, 'demo, reads contacts and companies only', limitedGrant),
    };
    await keep(keys);
    return { orgId, keys, counts: countsOf(story.steps) };
  });
}

/** Another process may be creating the org at this moment; then it exists afterwards. */
async function waitForTurn(transaction: Transaction): Promise<void> {
  const end = systemClock.monotonicMs() + waitMs;
  while (!(await lockFirstOrg(transaction))) {
    if (systemClock.monotonicMs() > end) {
      const sentence = 'Another process is creating the demo org and does not finish.';
      throw new Failure('database_unreachable', sentence, 'Stop it, then start this one again.');
    }
    await sleep(checkMs);
  }
}

async function writeStory(database: Database, orgId: number, clock: SetClock, { steps }: Story): Promise<void> {
  const { faults } = await applySchemaFile(database, orgId, demoSchema, clock);
  if (faults[0] !== undefined) throw new TypeError(`The schema of the demo is not valid: ${faults[0].detail}`);
  const refs: Refs = new Map();
  for (const { ref, ...user } of demoUsers) refs.set(ref, await createMember(database, { orgId, ...user }, clock));
  const known = await openDirectory(database, clock).find(orgId);
  if (known === undefined) throw new TypeError('The new org was not found.');
  for (const objectType of ['svc_deal_pipeline_stage', 'svc_note_pipeline_stage', 'svc_contact_lifecycle_stage']) {
    const typeId = known.catalog.objectTypes.get(objectType)?.id ?? 0;
    const page = { typeId, after: undefined, limit: 100 };
    const stages = await listRecords(database, { orgId, onlyUser: null }, page, {
      omitted: [],
      hidden: [],
      renamed: [],
      totals: [],
    });
    for (const { id, properties } of stages) {
      refs.set(stageAs(objectType, (JSON.parse(asString(properties)) as { svc_name: string }).svc_name), id);
    }
  }
  // Only this story changes the org, and nobody can wait for changes of an org that is not committed yet.
  let bytes = 0;
  const engine = {
    clock,
    database,
    directory: { find: () => known, findNewest: async () => known, forget: () => {}, isAlive: () => true },
    signal: { note: () => {} },
    storage: {
      grew: (_: number, more: number) => {
        bytes += more;
      },
      requireRoom: () => undefined,
    },
    words: { wrote: () => {} },
  };
  await writeHistory({ engine, clock, known, refs }, steps);
  await addStorage(database, orgId, bytes);
}

async function makeKey(database: Database, orgId: number, name: string, grant: Grant): Promise<string> {
  const request = { orgId, name, userId: null, reach: 'org', grants: [grant], expiresAt: null } as const;
  return (await issueKey(database, request)).key;
}

function countsOf(steps: readonly Step[]): ReadonlyMap<string, number> {
  const made = new Map<string, Set<string>>();
  for (const step of steps) {
    const [type, name] =
      'line' in step
        ? [step.objectType, step.line.external_id]
        : [step.operation.object_type, step.operation.operation === 'create' ? step.operation.ref : undefined];
    if (name !== undefined) made.set(type, (made.get(type) ?? new Set()).add(name));
  }
  return new Map([...made].map(([type, names]) => [type, names.size]));
}
