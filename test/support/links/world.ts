// The org that links are tested on: its custom schema, the types and association types that take part, and the values
// that records get. Whatever is generated, sent and modelled is about these.
import type { Random } from '../random.ts';

export type Values = Readonly<Record<string, unknown>>;

interface WorldType {
  /** How many live records of it there are at most, so that they meet each other often. */
  readonly most: number;
  readonly unique?: string;
  readonly multiValued?: readonly string[];
  /** Makes a value of each property. */
  readonly values: Readonly<Record<string, (random: Random) => unknown>>;
  /** Properties that are never left out and never cleared. */
  readonly always?: readonly string[];
}

interface WorldAssociation {
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  readonly toOne: boolean;
  /** Of a stage: by what its timers are linked to the record and to the stage. */
  readonly timers?: readonly [toRecord: string, toStage: string];
}

const text = (name: string, more: object = {}) => ({ name, label: name, field_type: 'text', ...more });
const titled = (name: string, more: object = {}) => ({ name, label: name, properties: [text('title')], ...more });

export const linksSchema = {
  object_types: [
    {
      name: 'gadget',
      label: 'Gadget',
      properties: [text('title'), text('code', { unique: true }), text('tags', { multi_valued: true })],
    },
    titled('phase'),
    titled('shelf'),
    titled('freelancer', { kind: 'person' }),
  ],
  association_types: [
    { name: 'gadget_to_phase', source: 'gadget', target: 'phase', cardinality: 'many_to_one', stage: true },
    { name: 'gadget_to_shelf', source: 'gadget', target: 'shelf', cardinality: 'many_to_one', stage: true },
    { name: 'part_of', source: 'gadget', target: 'gadget', cardinality: 'many_to_many' },
    { name: 'follows', source: 'gadget', target: 'gadget', cardinality: 'many_to_one' },
    { name: 'kept_by', source: 'gadget', target: { kind: 'person' }, cardinality: 'many_to_one' },
  ],
};

const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'glade', 'heath'];
const word = (random: Random) => random.pick(words);
const someOf = (values: readonly string[], most: number) => (random: Random) =>
  random.some(values, random.between(1, most));
const numbered = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, at) => make(at));
const emails = numbered(24, (index) => `person${index}@example.com`);
const domains = numbered(14, (index) => `company${index}.example`);
const codes = numbered(16, (index) => `code ${index}`);
const position = (random: Random) => random.pick(['1', '2', '3', '2.5', '4', '0']);

/** Moments with and without fractions, in several zones, some of them the same moment. */
function moment(random: Random): string {
  const second = String(random.between(0, 3)).padStart(2, '0');
  const fraction = random.pick(['', '.5', '.250', '.123456']);
  const [hour, zone] = random.pick([
    ['09', 'Z'],
    ['11', '+02:00'],
    ['04', '-05:00'],
  ] as const);
  return `2026-0${random.between(1, 3)}-14T${hour}:00:${second}${fraction}${zone}`;
}

function money(random: Random): unknown {
  const amount = random.pick(['100', '12.50', '0.07', '999.99', '-3', '0', '1000000']);
  return { amount, unit: random.chance(0.8) ? 'USD' : 'EUR' };
}

const stageValues = {
  svc_name: word,
  svc_position: position,
  svc_probability: (random: Random) => random.pick(['0', '10', '33.3', '50', '100']),
  svc_closed: (random: Random) => random.chance(0.3),
};
const stageType: WorldType = { most: 6, values: stageValues, always: ['svc_position', 'svc_probability'] };
const pipelineType: WorldType = { most: 3, values: { svc_name: word, svc_position: position } };

export const worldTypes: Readonly<Record<string, WorldType>> = {
  svc_company: {
    most: 9,
    unique: 'svc_domain',
    values: { svc_name: word, svc_domain: (random) => random.pick(domains) },
  },
  svc_contact: {
    most: 16,
    unique: 'svc_email',
    multiValued: ['svc_email'],
    values: { svc_last_name: word, svc_job_title: word, svc_email: someOf(emails, 3) },
  },
  svc_deal: { most: 18, values: { svc_name: word, svc_amount: money } },
  svc_note: { most: 12, values: { svc_title: word, svc_priority: (random) => random.pick(['low', 'medium', 'high']) } },
  svc_call: { most: 14, values: { svc_subject: word, svc_started_at: moment } },
  svc_deal_pipeline: pipelineType,
  svc_deal_pipeline_stage: { ...stageType, most: 9 },
  svc_note_pipeline: pipelineType,
  svc_note_pipeline_stage: stageType,
  svc_contact_lifecycle_stage: { ...stageType, most: 7 },
  gadget: {
    most: 14,
    unique: 'code',
    multiValued: ['tags'],
    values: { title: word, code: (random) => random.pick(codes), tags: someOf(words, 4) },
  },
  phase: { most: 4, values: { title: word } },
  shelf: { most: 4, values: { title: word } },
  freelancer: { most: 5, values: { title: word } },
};

const persons = ['svc_contact', 'freelancer'];

function many(source: string, ...targets: readonly string[]): WorldAssociation {
  return { sources: [source], targets, toOne: false };
}

function one(source: string, ...targets: readonly string[]): WorldAssociation {
  return { sources: [source], targets, toOne: true };
}

function stage(sources: readonly string[], target: string, ...timers: readonly [string, string]): WorldAssociation {
  return {
    sources,
    targets: [target],
    toOne: true,
    timers: [`svc_stage_timer_to_${timers[0]}`, `svc_stage_timer_to_${timers[1]}`],
  };
}

export const worldAssociations: Readonly<Record<string, WorldAssociation>> = {
  svc_contact_to_company: { sources: persons, targets: ['svc_company'], toOne: false },
  svc_deal_to_company: one('svc_deal', 'svc_company'),
  svc_deal_to_contact: many('svc_deal', ...persons),
  svc_deal_to_deal_pipeline_stage: stage(['svc_deal'], 'svc_deal_pipeline_stage', 'deal', 'deal_pipeline_stage'),
  svc_contact_to_lifecycle_stage: stage(persons, 'svc_contact_lifecycle_stage', 'contact', 'contact_lifecycle_stage'),
  svc_deal_pipeline_stage_to_deal_pipeline: one('svc_deal_pipeline_stage', 'svc_deal_pipeline'),
  svc_note_pipeline_stage_to_note_pipeline: one('svc_note_pipeline_stage', 'svc_note_pipeline'),
  svc_note_to_note_pipeline_stage: stage(['svc_note'], 'svc_note_pipeline_stage', 'note', 'note_pipeline_stage'),
  svc_note_to_contact: many('svc_note', ...persons),
  svc_note_to_company: many('svc_note', 'svc_company'),
  svc_note_to_deal: many('svc_note', 'svc_deal'),
  svc_activity_to_contact: many('svc_call', ...persons),
  svc_activity_to_company: many('svc_call', 'svc_company'),
  svc_activity_to_deal: many('svc_call', 'svc_deal'),
  gadget_to_phase: stage(['gadget'], 'phase', 'record', 'stage'),
  gadget_to_shelf: stage(['gadget'], 'shelf', 'record', 'stage'),
  part_of: many('gadget', 'gadget'),
  follows: one('gadget', 'gadget'),
  kept_by: one('gadget', ...persons),
};

export const pipelineOf = ['svc_deal_pipeline_stage_to_deal_pipeline', 'svc_note_pipeline_stage_to_note_pipeline'];
export const noteStatus = 'svc_note_to_note_pipeline_stage';

export const stageAssociations: readonly string[] = Object.keys(worldAssociations).filter(
  (name) => worldAssociations[name]?.timers !== undefined,
);

export function associationsFrom(type: string): readonly string[] {
  return Object.keys(worldAssociations).filter((name) => worldAssociations[name]?.sources.includes(type));
}

export function associationsTo(type: string): readonly string[] {
  return Object.keys(worldAssociations).filter((name) => worldAssociations[name]?.targets.includes(type));
}

/** One text for one value, for any order of its members. */
export function valueText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}

/** A value that is a text, such as a time; nothing where there is none. */
export function textValue(values: Values | undefined, name: string): string {
  const value = values?.[name];
  return typeof value === 'string' ? value : '';
}
