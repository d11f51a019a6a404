// The activity types that integrations write (specification 2.4): phone calls and conversations. The synced types of
// kind `activity` share their first properties and are in synced-types.ts.
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { phone } from '../fields/phone.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import { url } from '../fields/url.ts';
import type { ObjectType, Property } from '../object-type.ts';
import { activityProperties, messageProperties } from './activity-properties.ts';
import { objectType, options, property } from './declare.ts';

/** On both types of conversation, after the properties of activities and of messages. */
const conversationProperties: readonly Property[] = [
  ...activityProperties,
  ...messageProperties,
  property(11, 'svc_channel_id', 'Channel id', text, {
    description: 'Identifier of the conversation in the system where it took place.',
  }),
  property(12, 'svc_transcript', 'Transcript', longText, { description: 'The messages, as text.' }),
];

export const activityTypes: readonly ObjectType[] = [
  objectType({
    id: 17,
    name: 'svc_call',
    label: 'Call',
    pluralLabel: 'Calls',
    description: 'A phone call, made or received.',
    category: 'activity',
    nature: 'open',
    kind: 'activity',
    titleProperty: 'svc_subject',
    properties: [
      ...activityProperties,
      property(8, 'svc_from_number', 'From', phone, { description: 'The number that called.' }),
      property(9, 'svc_to_number', 'To', phone, { description: 'The number that was called.' }),
      property(10, 'svc_duration_seconds', 'Duration in seconds', number, {
        description: 'Length of the conversation, without ringing.',
      }),
      property(11, 'svc_outcome', 'Outcome', select, {
        options: options('connected', 'voicemail', 'no_answer', 'busy', 'wrong_number', 'failed'),
        description: 'Result of the call.',
      }),
      property(12, 'svc_recording_url', 'Recording', url, { description: 'Link to the recording of the call.' }),
      property(13, 'svc_transcript', 'Transcript', longText, { description: 'What was said, as text.' }),
    ],
  }),
  objectType({
    id: 18,
    name: 'svc_sms_conversation',
    label: 'SMS Conversation',
    pluralLabel: 'SMS Conversations',
    description: 'A conversation by text message.',
    category: 'activity',
    nature: 'open',
    kind: 'activity',
    titleProperty: 'svc_subject',
    properties: [
      ...conversationProperties,
      property(13, 'svc_org_number', 'Number of the org', phone, {
        description: 'The number that the org uses.',
      }),
      property(14, 'svc_participant_number', 'Participants', phone, {
        multiValued: true,
        description: 'The numbers on the other side.',
      }),
    ],
  }),
  objectType({
    id: 19,
    name: 'svc_network_conversation',
    label: 'Professional-network Conversation',
    pluralLabel: 'Professional-network Conversations',
    description: 'A conversation by messages on a professional network.',
    category: 'activity',
    nature: 'open',
    kind: 'activity',
    titleProperty: 'svc_subject',
    properties: [
      ...conversationProperties,
      property(13, 'svc_url', 'Address', url, { description: 'Link to the conversation.' }),
      property(14, 'svc_participant_url', 'Participants', url, {
        multiValued: true,
        description: 'Profiles of the people on the other side.',
      }),
    ],
  }),
];
