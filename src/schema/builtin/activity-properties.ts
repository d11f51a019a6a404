// The properties that several activity types share (contract 11). The numbers 3 to 7 are the same in every type of kind
// `activity`, 8 to 10 in every exchange of messages; a type's own properties follow.
import { datetime } from '../fields/datetime.ts';
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import type { Property } from '../object-type.ts';
import { options, property } from './declare.ts';

const directions = options('inbound', 'outbound');

/** On every type of kind `activity`. `svc_last_activity_at` reads `svc_started_at`. */
export const activityProperties: readonly Property[] = [
  property(3, 'svc_subject', 'Subject', text),
  property(4, 'svc_started_at', 'Started at', datetime, {
    indexed: true,
    description: 'When the activity began. Records that it is linked to use it as the date of their last activity.',
  }),
  property(5, 'svc_ended_at', 'Ended at', datetime),
  property(6, 'svc_direction', 'Direction', select, {
    options: directions,
    description: 'Who started it: inbound for the other side, outbound for the org.',
  }),
  property(7, 'svc_summary', 'Summary', longText, { description: 'What happened, in a few sentences.' }),
];

/** On the activities that are an exchange of messages: email threads, SMS and network conversations. */
export const messageProperties: readonly Property[] = [
  property(8, 'svc_message_count', 'Messages', number, { description: 'Number of messages exchanged.' }),
  property(9, 'svc_last_message_at', 'Last message at', datetime),
  property(10, 'svc_last_message_direction', 'Last message direction', select, {
    options: directions,
    description: 'Who wrote last. After an inbound message the other side is waiting for a reply.',
  }),
];
