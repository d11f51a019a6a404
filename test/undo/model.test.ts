// Undo against an oracle (specification of undo): generated histories of callers with different grants and reach. Each revert
// leads to the state that the oracle predicts from the states before, tells what it predicts, and its dry run tells the same
// and changes nothing. UNDO_SEED=… runs the same again; UNDO_HISTORIES=1000 plays a thousand.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../src/access/grant.ts';
import { builtinAssociationTypes } from '../../src/schema/builtin/association-types.ts';
import { createFolder } from '../support/cli.ts';
import { runCommand } from '../support/command.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Coverage, playHistory, type UndoCaller, type UndoWorld } from '../support/undo/history.ts';

const all = ['read', 'create', 'update', 'delete', 'associate'] as const;
const numbers: Readonly<Record<string, number>> = { svc_contact: 1, svc_company: 2, svc_deal: 3 };
const toOne = builtinAssociationTypes.filter(({ cardinality }) => cardinality === 'many_to_one');
const stageType = 'svc_deal_pipeline_stage';

let service: TestService;
let folder: string;
let files = 0;
beforeAll(async () => {
  service = await startService();
  folder = await createFolder();
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});
let resetBounds = () => {};
afterEach(() => resetBounds());

interface CallerOptions {
  readonly grants: readonly Grant[];
  readonly userId?: string;
  readonly reach?: 'user';
}

async function openCaller(orgId: number, name: string, options: CallerOptions): Promise<UndoCaller> {
  const { key } = await service.createKey(orgId, { name, ...options });
  const client = service.client(key);
  const { body } = await client.get('/objects/');
  const types = new Map<number, readonly string[]>();
  for (const { name: type, writable_operations } of body.data) {
    types.set(numbers[type] ?? (type === stageType ? stageNumber : 0), writable_operations);
  }
  return { name, client, onlyUser: options.reach === 'user' ? (options.userId ?? null) : null, types };
}

/** The number of the type of stages, to which deals are linked. */
const stageNumber = 6;

async function openWorld(): Promise<{ readonly world: UndoWorld; readonly orgId: number }> {
  const orgId = await service.createOrg({ quota: 10_000_000, windowSeconds: 60 });
  const users = [await service.createUser(orgId), await service.createUser(orgId)];
  const [anna = '', ben = ''] = users;
  const everything: Grant = { objectTypes: ['*'], operations: [...all] };
  const withoutDelete: Grant = { objectTypes: ['*'], operations: ['read', 'create', 'update', 'associate'] };
  const narrow: readonly Grant[] = [
    { objectTypes: ['svc_contact'], operations: ['read', 'update', 'delete'] },
    { objectTypes: ['svc_company'], operations: [...all] },
  ];
  const callers = [
    await openCaller(orgId, 'the administrator', { grants: [everything] }),
    await openCaller(orgId, 'Anna', { grants: [everything], userId: anna, reach: 'user' }),
    await openCaller(orgId, 'Ben', { grants: [withoutDelete], userId: ben, reach: 'user' }),
    await openCaller(orgId, 'a narrow key', { grants: narrow }),
  ];
  const stages = await callers[0]?.client.get(`/objects/${stageType}/records/?limit=3`);
  return {
    orgId,
    world: {
      database: service.database,
      orgId,
      callers,
      users,
      stages: stages?.body.data.map(({ id }: { id: string }) => id),
      toOne: new Set(toOne.map(({ id }) => id)),
      importContacts: async (lines) => {
        const path = join(folder, `contacts-${++files}.csv`);
        await writeFile(path, lines.join('\n'));
        const options = { org: String(orgId), type: 'svc_contact', match: 'svc_email' };
        const { value, failure } = await runCommand(service.databaseUrl, 'import', path, options);
        if (failure !== undefined && failure.kind !== 'rows_refused') throw failure;
        return (value as { job_id: string }).job_id;
      },
    },
  };
}

const coverage: Coverage = new Map();
const seed = seedFrom('UNDO_SEED');
const histories = Number(process.env['UNDO_HISTORIES'] ?? '60');
const perOrg = 15;

test.each(['in one write', 'in many writes'])(
  'a revert does what the oracle predicts, %s',
  { timeout: 600_000 },
  async (how) => {
    if (how === 'in many writes') resetBounds = lowerBounds({ engine: { unitBytes: 0 }, store: { lockedBytes: 1 } });
    const random = new Random(seed + (how === 'in many writes' ? 1 : 0));
    for (let played = 0; played < histories / 2; played += perOrg) await playSome(random);
  },
);

async function playSome(random: Random): Promise<void> {
  const { world, orgId } = await openWorld();
  for (let index = 0; index < perOrg; index++) await playHistory(world, random, 10, coverage);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
}

test('the histories take back requests of every kind, with every outcome', async () => {
  const kinds = [
    'create',
    'update',
    'associate',
    'dissociate',
    'delete',
    'restore',
    'merge',
    'batch',
    'import',
    'revert',
  ];
  const outcomes = ['reverted', 'kept', 'refused', 'unknown'];
  const missing = () => [
    ...kinds.filter((kind) => !coverage.has(`${kind} reverted`)),
    ...outcomes.filter((told) => ![...coverage.keys()].some((each) => each.endsWith(` ${told}`))),
  ];
  // Some are rare.
  const random = new Random(seed + 2);
  for (let more = 0; missing().length > 0 && more < 1_000; more += perOrg) await playSome(random);
  expect(missing()).toEqual([]);
});
