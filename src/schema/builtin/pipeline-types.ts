// Pipelines, their stages and the stage timers (specification 2.4). They are records like any other, so an org changes
// its pipelines with the same operations. Only the service writes timers.
import { boolean } from '../fields/boolean.ts';
import { datetime } from '../fields/datetime.ts';
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { text } from '../fields/text.ts';
import type { ObjectType, Property } from '../object-type.ts';
import { stageTimerType } from './association-types.ts';
import { objectType, property } from './declare.ts';

const pipelineProperties: readonly Property[] = [
  property(3, 'svc_name', 'Name', text),
  property(4, 'svc_description', 'Description', longText),
  property(5, 'svc_position', 'Position', number, { description: 'Place among the pipelines, counted from 1.' }),
];

const stageProperties: readonly Property[] = [
  property(3, 'svc_name', 'Name', text),
  property(4, 'svc_position', 'Position', number, { description: 'Place among the stages, counted from 1.' }),
  property(5, 'svc_probability', 'Probability', number, {
    range: { least: 0, greatest: 100 },
    description: 'Likelihood of success from this stage, from 0 to 100.',
  }),
  property(6, 'svc_closed', 'Closed', boolean, { description: 'Whether a record in this stage is closed.' }),
];

export const pipelineTypes: readonly ObjectType[] = [
  objectType({
    id: 5,
    name: 'svc_deal_pipeline',
    label: 'Deal Pipeline',
    pluralLabel: 'Deal Pipelines',
    description: 'An ordered sequence of stages through which deals move.',
    category: 'pipeline',
    nature: 'open',
    titleProperty: 'svc_name',
    properties: pipelineProperties,
  }),
  objectType({
    id: 6,
    name: 'svc_deal_pipeline_stage',
    label: 'Deal Pipeline Stage',
    pluralLabel: 'Deal Pipeline Stages',
    description: 'One stage of a deal pipeline, with its position and probability.',
    category: 'pipeline',
    nature: 'open',
    titleProperty: 'svc_name',
    properties: stageProperties,
  }),
  objectType({
    id: 7,
    name: 'svc_note_pipeline',
    label: 'Task Statuses',
    // The label of one such record is already a plural, which is also the plural of a task status.
    pluralLabel: 'Task Status Pipelines',
    description: 'The ordered statuses through which notes move as tasks.',
    category: 'pipeline',
    nature: 'open',
    titleProperty: 'svc_name',
    properties: pipelineProperties,
  }),
  objectType({
    id: 8,
    name: 'svc_note_pipeline_stage',
    label: 'Task Status',
    pluralLabel: 'Task Statuses',
    description: 'One status of a task, such as To Do, In Progress or Complete.',
    category: 'pipeline',
    nature: 'open',
    titleProperty: 'svc_name',
    properties: stageProperties,
  }),
  objectType({
    id: 9,
    name: 'svc_contact_lifecycle_stage',
    label: 'Contact Lifecycle Stage',
    pluralLabel: 'Contact Lifecycle Stages',
    description: 'One stage of a contact, from awareness through to customer.',
    category: 'pipeline',
    nature: 'open',
    titleProperty: 'svc_name',
    properties: stageProperties,
  }),
  objectType({
    id: stageTimerType,
    name: 'svc_stage_timer',
    label: 'Stage Timer',
    pluralLabel: 'Stage Timers',
    description: 'How long a record was in a stage. The service writes it when the record leaves the stage.',
    category: 'pipeline',
    nature: 'automatic',
    titleProperty: null,
    properties: [
      property(3, 'svc_entered_at', 'Entered at', datetime, {
        readOnly: true,
        description: 'When the record entered the stage.',
      }),
      property(4, 'svc_left_at', 'Left at', datetime, {
        readOnly: true,
        description: 'When the record left the stage.',
      }),
      property(5, 'svc_duration_seconds', 'Duration in seconds', number, {
        readOnly: true,
        description: 'Time between entering and leaving, with three decimal places.',
      }),
    ],
  }),
];
