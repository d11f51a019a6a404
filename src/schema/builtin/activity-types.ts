// The activity types that integrations write (specification 2.4): what happened on a telephone or in a messenger.
// The synced types of kind `activity` share their first properties and stand in synced-types.ts.
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
    description: 'Identifier of the conversation in the system in which it was held.',
  }),
  property(12, 'svc_transcript', 'Transcript', longText, { description: 'The messages, as text.' }),
];

export const activityTypes: readonly ObjectType[] = [
  objectType({
    id: 17,
    name: 'svc_call',
    label: 'Call',
    pluralLabel: 'Calls',
    description: 'A telephone call, made or received.',
    category: 'activity',
    nature: 'open',
    kind: 'activity',
    titleProperty: 'svc_subject',
    properties: [
      ...activityProperties,
      property(8, 'svc_from_number', 'From', phone, { description: 'The number that called.' }),
      property(9, 'svc_to_number', 'To', phone, { description: 'The number that was called.' }),
      property(10, 'svc_duration_seconds', 'Duration in seconds', number, {
        description: 'How long the two sides spoke, ringing left out.',
      }),
      property(11, 'svc_outcome', 'Outcome', select, {
        options: options('connected', 'voicemail', 'no_answer', 'busy', 'wrong_number', 'failed'),
        description: 'What came of the attempt to speak.',
      }),
      property(12, 'svc_recording_url', 'Recording', url, { description: 'Where the recording of the call is kept.' }),
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
        description: 'The number from which the org writes.',
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
    description: 'A conversation in the messages of a professional network.',
    category: 'activity',
    nature: 'open',
    kind: 'activity',
    titleProperty: 'svc_subject',
    properties: [
      ...conversationProperties,
      property(13, 'svc_url', 'Address', url, { description: 'Where the conversation can be opened.' }),
      property(14, 'svc_participant_url', 'Participants', url, {
        multiValued: true,
        description: 'Profiles of those on the other side.',
      }),
    ],
  }),
];
