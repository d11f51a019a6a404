// Writes the records that a new org begins with (contract 6): its roles, a pipeline for deals, one for tasks, and the
// lifecycle stages of contacts. They are ordinary records, which the org may change.
import type { Clock } from '../../base/clock.ts';
import { IdSequence } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { builtinCatalog } from '../../schema/custom/build-catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { defaultRoles } from '../../schema/roles/default-roles.ts';
import type { Database, Transaction } from '../../store/database.ts';
import type { Org } from '../../store/org/orgs.ts';
import { systemCall } from '../process/call.ts';
import { createRecord } from '../rules/write.ts';
import type { Draft } from '../unit/draft.ts';
import { Unit } from '../unit/unit.ts';

interface StageDefault {
  readonly name: string;
  readonly probability?: string;
  readonly closed?: true;
}

interface StagesDefault {
  readonly type: string;
  readonly stages: readonly StageDefault[];
  readonly pipeline?: { readonly type: string; readonly name: string; readonly association: string };
}

const defaults: readonly StagesDefault[] = [
  {
    type: 'svc_deal_pipeline_stage',
    pipeline: {
      type: 'svc_deal_pipeline',
      name: 'Sales',
      association: 'svc_deal_pipeline_stage_to_deal_pipeline',
    },
    stages: [
      { name: 'Qualification', probability: '10' },
      { name: 'Discovery', probability: '25' },
      { name: 'Proposal', probability: '50' },
      { name: 'Negotiation', probability: '75' },
      { name: 'Won', probability: '100', closed: true },
      { name: 'Lost', probability: '0', closed: true },
    ],
  },
  {
    type: 'svc_note_pipeline_stage',
    pipeline: { type: 'svc_note_pipeline', name: 'Tasks', association: 'svc_note_pipeline_stage_to_note_pipeline' },
    stages: [{ name: 'To Do' }, { name: 'In Progress' }, { name: 'Complete', closed: true }],
  },
  {
    type: 'svc_contact_lifecycle_stage',
    stages: ['Awareness', 'Interest', 'Consideration', 'Evaluation', 'Customer'].map((name) => ({ name })),
  },
];

/** The names of all these records, by the numbers of their types. */
export function defaultRecords(): readonly { readonly typeId: number; readonly name: string }[] {
  const named = (type: string, name: string) => ({ typeId: requireType(type).id, name });
  return [
    ...defaultRoles.map((role) => named('svc_role', role.svc_name)),
    ...defaults.flatMap(({ type, stages, pipeline }) => [
      ...(pipeline === undefined ? [] : [named(pipeline.type, pipeline.name)]),
      ...stages.map(({ name }) => named(type, name)),
    ]),
  ];
}

/** Runs in the transaction that creates the org. Returns the bytes that the org stores then. */
export async function writeDefaults(
  transaction: Transaction,
  org: Pick<Org, 'orgId' | 'rateQuota' | 'rateWindowSeconds' | 'storageQuota'>,
  clock: Clock,
): Promise<number> {
  const typesById = new Map([...builtinCatalog.objectTypes.values()].map((type) => [type.id, type]));
  const engine = {
    clock,
    database: unasked,
    // A new org has only the built-in vocabulary, so there is nothing newer to find.
    directory: {
      find: () => Promise.resolve(undefined),
      findNewest: () => Promise.resolve(undefined),
      forget: () => {},
      isAlive: () => true,
    },
    signal: { note: () => {} },
    storage: { grew: () => {}, requireRoom: () => undefined },
    words: { wrote: () => {} },
  };
  const unit = new Unit(
    systemCall(engine, {
      org,
      catalog: builtinCatalog,
      typesById,
      life: 0,
      ids: new IdSequence(clock),
      recorded: false,
    }),
    transaction,
    'assumed',
  );
  for (const role of defaultRoles) await write(unit, 'svc_role', { ...role });
  for (const each of defaults) await writeStages(unit, each);
  await unit.finish();
  return unit.growth;
}

async function writeStages(unit: Unit, { type, stages, pipeline }: StagesDefault): Promise<void> {
  const parent =
    pipeline === undefined
      ? undefined
      : await write(unit, pipeline.type, { svc_name: pipeline.name, svc_position: '1' });
  for (const [index, { name, probability, closed }] of stages.entries()) {
    const values = {
      svc_name: name,
      svc_position: String(index + 1),
      ...(probability === undefined ? {} : { svc_probability: probability }),
      svc_closed: closed === true,
    };
    await write(unit, type, values, pipeline && parent && { association: pipeline.association, target: parent });
  }
}

async function write(
  unit: Unit,
  typeName: string,
  values: Readonly<Record<string, Json>>,
  link?: { readonly association: string; readonly target: Draft },
): Promise<Draft> {
  const pair = link && builtinCatalog.pairsFrom(typeName, link.association)[0];
  const links = pair && link ? [{ pair, targetId: link.target.id }] : [];
  return createRecord(unit, requireType(typeName), new Map(Object.entries(values)), links, '');
}

function requireType(name: string): ObjectType {
  const type = builtinCatalog.objectTypes.get(name);
  if (type === undefined) throw new TypeError(`There is no built-in type ${name}.`);
  return type;
}

/** Nothing may run outside the given transaction. */
const unasked = new Proxy({} as Database, {
  get: () => {
    throw new TypeError('The defaults of an org are written in the transaction that creates it.');
  },
});
