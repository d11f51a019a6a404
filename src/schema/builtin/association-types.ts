// Every built-in association type, in the order of contract 6. A "contact" in a name means the kind `person` and an
// "activity" the kind `activity`, so that custom types of these kinds take part; a "company" is the type itself.
// Ids are written out because tables contain them: a line may move, but its number must not change.
import type { AssociationDeclaration } from '../association-type.ts';
import type { TypeSelector } from '../type-selector.ts';

const person: TypeSelector = { kind: 'person' };
const activity: TypeSelector = { kind: 'activity' };
const anyRecord: TypeSelector = { every: 'record' };

/** The association types that decide who sees a record through a key of reach `user` (contract 7). */
export const visibilityTypes = { user: 32, org: 33 } as const;

export const builtinAssociationTypes: readonly AssociationDeclaration[] = [
  manyToMany(1, 'svc_contact_to_company', 'Works at', person, type('svc_company')),
  manyToOne(2, 'svc_deal_to_company', 'Deal of', type('svc_deal'), type('svc_company')),
  manyToMany(3, 'svc_deal_to_contact', 'Involves', type('svc_deal'), person),
  stage(4, 'svc_deal_to_deal_pipeline_stage', 'In stage', type('svc_deal'), type('svc_deal_pipeline_stage')),
  stage(5, 'svc_contact_to_lifecycle_stage', 'In lifecycle stage', person, type('svc_contact_lifecycle_stage')),

  manyToOne(
    6,
    'svc_deal_pipeline_stage_to_deal_pipeline',
    'Stage of',
    type('svc_deal_pipeline_stage'),
    type('svc_deal_pipeline'),
  ),
  manyToOne(
    7,
    'svc_note_pipeline_stage_to_note_pipeline',
    'Status of',
    type('svc_note_pipeline_stage'),
    type('svc_note_pipeline'),
  ),
  {
    ...stage(8, 'svc_note_to_note_pipeline_stage', 'Has status', type('svc_note'), type('svc_note_pipeline_stage')),
    initial: true,
  },

  manyToMany(9, 'svc_note_to_contact', 'About person', type('svc_note'), person),
  manyToMany(10, 'svc_note_to_company', 'About company', type('svc_note'), type('svc_company')),
  manyToMany(11, 'svc_note_to_deal', 'About deal', type('svc_note'), type('svc_deal')),

  manyToMany(12, 'svc_activity_to_contact', 'With person', activity, person),
  manyToMany(13, 'svc_activity_to_company', 'With company', activity, type('svc_company')),
  manyToMany(14, 'svc_activity_to_deal', 'About deal', activity, type('svc_deal')),
  manyToOne(15, 'svc_booking_to_booking_type', 'Booked as', type('svc_booking'), type('svc_booking_type')),
  manyToOne(16, 'svc_meeting_notes_to_meeting', 'Taken at', type('svc_meeting_notes'), type('svc_meeting')),

  manyToMany(17, 'svc_file_to_contact', 'Attached to person', type('svc_file'), person),
  manyToMany(18, 'svc_file_to_company', 'Attached to company', type('svc_file'), type('svc_company')),
  manyToMany(19, 'svc_file_to_deal', 'Attached to deal', type('svc_file'), type('svc_deal')),

  manyToMany(20, 'svc_risk_to_company', 'Risk to company', type('svc_risk'), type('svc_company')),
  manyToMany(21, 'svc_risk_to_deal', 'Risk to deal', type('svc_risk'), type('svc_deal')),
  manyToOne(22, 'svc_web_visit_to_web_visitor', 'Visit by', type('svc_web_visit'), type('svc_web_visitor')),
  manyToOne(23, 'svc_web_visitor_to_contact', 'Known as', type('svc_web_visitor'), person),

  // A timer is linked to the record that it timed and to the stage that the record left. Each built-in stage type has
  // its own two names; custom stage types share two general ones.
  timer(24, 'svc_stage_timer_to_deal', 'Time of deal', type('svc_deal')),
  timer(25, 'svc_stage_timer_to_contact', 'Time of person', person),
  timer(26, 'svc_stage_timer_to_note', 'Time of note', type('svc_note')),
  timer(27, 'svc_stage_timer_to_deal_pipeline_stage', 'Time in deal stage', type('svc_deal_pipeline_stage')),
  timer(
    28,
    'svc_stage_timer_to_contact_lifecycle_stage',
    'Time in lifecycle stage',
    type('svc_contact_lifecycle_stage'),
  ),
  timer(29, 'svc_stage_timer_to_note_pipeline_stage', 'Time in task status', type('svc_note_pipeline_stage')),
  timer(30, 'svc_stage_timer_to_record', 'Time of record', { every: 'custom_stage_source' }),
  timer(31, 'svc_stage_timer_to_stage', 'Time in stage', { every: 'custom_stage_target' }),

  {
    ...manyToOne(34, 'svc_property_to_object_type', 'Property of', type('svc_property'), type('svc_object_type')),
    fixed: true,
  },
  {
    ...manyToOne(35, 'svc_property_option_to_property', 'Option of', type('svc_property_option'), type('svc_property')),
    fixed: true,
  },
  manyToOne(36, 'svc_member_to_role', 'Has role', type('svc_member'), type('svc_role')),
  { ...manyToOne(37, 'svc_access_key_to_member', 'Key of', type('svc_access_key'), type('svc_member')), fixed: true },

  manyToMany(visibilityTypes.user, 'svc_record_to_user', 'Owned by', anyRecord, type('svc_user')),
  manyToOne(visibilityTypes.org, 'svc_record_to_org', 'Shared with org', anyRecord, type('svc_org')),
];

/** The id of the type svc_stage_timer. */
export const stageTimerType = 10;

/**
 * The association types by which a timer is linked to the record that it timed and to the stage that the record left.
 */
interface TimerLinks {
  readonly record: number;
  readonly stage: number;
}

const builtinTimerLinks: ReadonlyMap<number, TimerLinks> = new Map([
  [4, { record: 24, stage: 27 }],
  [5, { record: 25, stage: 28 }],
  [8, { record: 26, stage: 29 }],
]);
const customTimerLinks: TimerLinks = { record: 30, stage: 31 };

/** The timer links for a stage association type, built-in or custom. */
export function timerLinksOf(stageAssociationTypeId: number): TimerLinks {
  return builtinTimerLinks.get(stageAssociationTypeId) ?? customTimerLinks;
}

const timerLinks: readonly TimerLinks[] = [...builtinTimerLinks.values(), customTimerLinks];

/** The association types that link timers to the records that they timed. */
export const timedByIds: readonly number[] = timerLinks.map(({ record }) => record);

/** The association types that link timers to the stages that the records left. */
export const timedInIds: readonly number[] = timerLinks.map(({ stage }) => stage);

function type(name: string): TypeSelector {
  return { type: name };
}

function manyToMany(
  id: number,
  name: string,
  label: string,
  source: TypeSelector,
  target: TypeSelector,
): AssociationDeclaration {
  return { id, name, label, source, target, cardinality: 'many_to_many', stage: false, initial: false, custom: false };
}

function manyToOne(
  id: number,
  name: string,
  label: string,
  source: TypeSelector,
  target: TypeSelector,
): AssociationDeclaration {
  return { id, name, label, source, target, cardinality: 'many_to_one', stage: false, initial: false, custom: false };
}

function stage(
  id: number,
  name: string,
  label: string,
  source: TypeSelector,
  target: TypeSelector,
): AssociationDeclaration {
  return { ...manyToOne(id, name, label, source, target), stage: true };
}

function timer(id: number, name: string, label: string, target: TypeSelector): AssociationDeclaration {
  return manyToOne(id, name, label, type('svc_stage_timer'), target);
}
