// Plans of stage history: what headers say of records and stages, and which plans are refused.
import { expect, test } from 'vitest';
import { builtinCatalog } from '../../../schema/custom/build-catalog.ts';
import { parseMap } from '../column-map.ts';
import type { ColumnUse } from '../column-use.ts';
import { planImport } from '../plan.ts';
import { historyType, timerTypeName } from './columns.ts';

type Map = Readonly<Record<string, unknown>>;

function plan(header: string, map: Map = {}, match?: string, badCells?: string) {
  const type = builtinCatalog.objectTypes.get(timerTypeName);
  if (type === undefined) throw new Error(timerTypeName);
  const request = {
    headers: header.split(','),
    rows: [],
    currency: 'USD',
    map: parseMap(map, { bad_cells: badCells }),
    match,
  };
  return planImport({ catalog: builtinCatalog, type: historyType(type), ...request });
}

function inShort(use: ColumnUse): string {
  if (use.kind === 'link') return `${use.association.replace('svc_stage_timer_', '')} by ${use.by}`;
  return use.kind === 'property' ? use.property.replace('svc_', '') : '-';
}

test.each([
  ['Deal id,Stage,Entered,Left', ['to_deal by id', 'to_stage by title', 'entered_at', 'left_at']],
  ['Record,Stage,From,To', ['to_record by title', 'to_stage by title', 'entered_at', 'left_at']],
  ['Record ID,Stage ID,Start,End', ['to_record by id', 'to_stage by id', 'entered_at', 'left_at']],
  ['Opportunity,Deal stage,Since,Until', ['to_deal by title', 'to_stage by title', 'entered_at', 'left_at']],
  ['Deal name,Deal id,Stage name,Entered at', ['-', 'to_deal by id', 'to_stage by title', 'entered_at']],
  [
    'E-mail of contact,Person email,Lifecycle stage,Date entered',
    ['-', 'to_contact by svc_email', 'to_stage by title', 'entered_at'],
  ],
  ['Task,Task status,Entered,Duration', ['to_note by title', 'to_stage by title', 'entered_at', '-']],
  [
    'id,svc_duration_seconds,svc_entered_at,svc_stage_timer_to_deal,svc_stage_timer_to_note,svc_stage_timer_to_deal_pipeline_stage,Stage',
    ['-', '-', 'entered_at', 'to_deal by id', 'to_note by id', 'to_deal_pipeline_stage by id', '-'],
  ],
])('the headers %s are understood', (header, uses) => {
  expect(plan(header).columns.map(({ use }) => inShort(use))).toEqual(uses);
});

test('what the map says of a record or a stage is not added to by guesses', () => {
  const map = { Number: { association: 'svc_stage_timer_to_deal', by: 'external_id', source: 'old' } };
  const { columns } = plan('Number,Deal,Phase,Entered', map);
  expect(columns.map(({ use }) => inShort(use))).toEqual([
    'to_deal by external_id',
    '-',
    'to_stage by title',
    'entered_at',
  ]);
});

const wanted = 'Deal,Stage,Entered';
test.each([
  ['Stage,Entered', {}, 'No column of the file names the record of each stage timer.'],
  ['Deal,Entered', {}, 'No column of the file names the stage of each stage timer.'],
  ['Deal,Stage,Left', {}, 'No column of the file says when the stage was entered.'],
  [
    `${wanted},Id`,
    { Id: { external_id: true, source: 'old' } },
    'The map gives stage timers an id in another system by the column "Id", which they do not have.',
  ],
  [
    `${wanted},Made`,
    { Made: { created_at: true } },
    'The map gives stage timers a date of creation by the column "Made", which they do not have.',
  ],
  [
    wanted,
    { Deal: { association: 'svc_deal_to_company' } },
    'The map links stage timers by the column "Deal" with "svc_deal_to_company", which leads neither to their record nor to a stage.',
  ],
  [
    wanted,
    { Deal: { association: 'svc_stage_timer_to_deal', missing: 'create' } },
    'The map says "missing": "create" for the column "Deal", but a stage timer needs its record and its stage.',
  ],
  [
    wanted,
    { Deal: { association: 'svc_stage_timer_to_deal', by: 'svc_email' } },
    'The map links by the column "Deal" by "svc_email", by which no target of svc_stage_timer_to_deal is found.',
  ],
  [
    wanted,
    { Deal: { association: 'svc_stage_timer_to_deal', within: 'Sales' } },
    'The map links by the column "Deal" within "Sales", but svc_stage_timer_to_deal does not lead to stages of pipelines.',
  ],
])('a plan that cannot be is refused: %s with %j', (header, map, sentence) => {
  expect(() => plan(header, map)).toThrow(sentence);
});

test('options that make no sense for stage timers are refused', () => {
  expect(() => plan(wanted, {}, 'svc_entered_at')).toThrow(
    'recognised by their record, stage and times, not by --match',
  );
  expect(() => plan(wanted, {}, undefined, 'drop')).toThrow('--bad-cells drop does not apply to them');
});
