// The built-in association types against the specification (2.6) and contract 6. The expectations are written out from
// those documents; nothing is derived from the data under test, so that each can fail.
import { expect, test } from 'vitest';
import type { TypeSelector } from '../type-selector.ts';
import { builtinAssociationTypes } from './association-types.ts';
import { builtinObjectTypes } from './object-types.ts';

/** id | name | source → target | cardinality, in the order of contract 6; kinds in braces, groups in brackets. */
const expectedAssociations = `
  1 | svc_contact_to_company | {person} → svc_company | many_to_many
  2 | svc_deal_to_company | svc_deal → svc_company | many_to_one
  3 | svc_deal_to_contact | svc_deal → {person} | many_to_many
  4 | svc_deal_to_deal_pipeline_stage | svc_deal → svc_deal_pipeline_stage | many_to_one
  5 | svc_contact_to_lifecycle_stage | {person} → svc_contact_lifecycle_stage | many_to_one
  6 | svc_deal_pipeline_stage_to_deal_pipeline | svc_deal_pipeline_stage → svc_deal_pipeline | many_to_one
  7 | svc_note_pipeline_stage_to_note_pipeline | svc_note_pipeline_stage → svc_note_pipeline | many_to_one
  8 | svc_note_to_note_pipeline_stage | svc_note → svc_note_pipeline_stage | many_to_one
  9 | svc_note_to_contact | svc_note → {person} | many_to_many
  10 | svc_note_to_company | svc_note → svc_company | many_to_many
  11 | svc_note_to_deal | svc_note → svc_deal | many_to_many
  12 | svc_activity_to_contact | {activity} → {person} | many_to_many
  13 | svc_activity_to_company | {activity} → svc_company | many_to_many
  14 | svc_activity_to_deal | {activity} → svc_deal | many_to_many
  15 | svc_booking_to_booking_type | svc_booking → svc_booking_type | many_to_one
  16 | svc_meeting_notes_to_meeting | svc_meeting_notes → svc_meeting | many_to_one
  17 | svc_file_to_contact | svc_file → {person} | many_to_many
  18 | svc_file_to_company | svc_file → svc_company | many_to_many
  19 | svc_file_to_deal | svc_file → svc_deal | many_to_many
  20 | svc_risk_to_company | svc_risk → svc_company | many_to_many
  21 | svc_risk_to_deal | svc_risk → svc_deal | many_to_many
  22 | svc_web_visit_to_web_visitor | svc_web_visit → svc_web_visitor | many_to_one
  23 | svc_web_visitor_to_contact | svc_web_visitor → {person} | many_to_one
  24 | svc_stage_timer_to_deal | svc_stage_timer → svc_deal | many_to_one
  25 | svc_stage_timer_to_contact | svc_stage_timer → {person} | many_to_one
  26 | svc_stage_timer_to_note | svc_stage_timer → svc_note | many_to_one
  27 | svc_stage_timer_to_deal_pipeline_stage | svc_stage_timer → svc_deal_pipeline_stage | many_to_one
  28 | svc_stage_timer_to_contact_lifecycle_stage | svc_stage_timer → svc_contact_lifecycle_stage | many_to_one
  29 | svc_stage_timer_to_note_pipeline_stage | svc_stage_timer → svc_note_pipeline_stage | many_to_one
  30 | svc_stage_timer_to_record | svc_stage_timer → [custom_stage_source] | many_to_one
  31 | svc_stage_timer_to_stage | svc_stage_timer → [custom_stage_target] | many_to_one
  34 | svc_property_to_object_type | svc_property → svc_object_type | many_to_one
  35 | svc_property_option_to_property | svc_property_option → svc_property | many_to_one
  36 | svc_member_to_role | svc_member → svc_role | many_to_one
  37 | svc_access_key_to_member | svc_access_key → svc_member | many_to_one
  32 | svc_record_to_user | [record] → svc_user | many_to_many
  33 | svc_record_to_org | [record] → svc_org | many_to_one`;

test('the association types of contract 6 and of platform records exist with their ends and cardinalities', () => {
  const lines = builtinAssociationTypes.map((each) =>
    [each.id, each.name, `${endText(each.source)} → ${endText(each.target)}`, each.cardinality].join(' | '),
  );
  expect(lines).toEqual(expectedAssociations.trim().split(/\n\s*/));
  expect(builtinAssociationTypes.some((each) => each.custom)).toBe(false);
});

test('three association types lead to a stage', () => {
  expect(builtinAssociationTypes.filter((each) => each.stage).map((each) => each.name)).toEqual([
    'svc_deal_to_deal_pipeline_stage',
    'svc_contact_to_lifecycle_stage',
    'svc_note_to_note_pipeline_stage',
  ]);
});

test('every end of an association names a type, a hidden type or a kind that exists', () => {
  const types = new Set([...builtinObjectTypes.map((type) => type.name), 'svc_user', 'svc_org']);
  const kinds = new Set(builtinObjectTypes.map((type) => type.kind));
  for (const end of builtinAssociationTypes.flatMap((each) => [each.source, each.target])) {
    const exists = 'type' in end ? types.has(end.type) : 'kind' in end ? kinds.has(end.kind) : true;
    expect(exists, endText(end)).toBe(true);
  }
});

test('association names fit the pattern and its length, and have labels', () => {
  for (const { name, label } of builtinAssociationTypes) {
    expect(name).toMatch(/^svc_[a-z0-9_]{1,59}$/);
    expect(label, name).toMatch(/^\S(.*\S)?$/);
  }
});

function endText(end: TypeSelector): string {
  if ('type' in end) return end.type;
  return 'kind' in end ? `{${end.kind}}` : `[${end.every}]`;
}
