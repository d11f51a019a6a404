// The synced object types (specification 2.4). Their content comes from a connected system through ingest; clients
// read them, and a meeting may be linked. Their properties are not read-only: the type's nature refuses the writes.
import { boolean } from '../fields/boolean.ts';
import { datetime } from '../fields/datetime.ts';
import { email } from '../fields/email.ts';
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import { timezone } from '../fields/timezone.ts';
import { url } from '../fields/url.ts';
import type { ObjectType } from '../object-type.ts';
import { activityProperties, messageProperties } from './activity-properties.ts';
import { objectType, options, property } from './declare.ts';

const meeting = objectType({
  id: 11,
  name: 'svc_meeting',
  label: 'Meeting',
  pluralLabel: 'Meetings',
  description: 'A meeting from a connected calendar.',
  category: 'synced',
  nature: 'synced_linkable',
  kind: 'activity',
  titleProperty: 'svc_subject',
  properties: [
    ...activityProperties,
    property(8, 'svc_status', 'Status', select, {
      options: options('tentative', 'confirmed', 'cancelled'),
      description: 'Where the meeting stands in the calendar.',
    }),
    property(9, 'svc_location', 'Location', text),
    property(10, 'svc_conference_url', 'Conference address', url, {
      description: 'Where one joins the meeting on line.',
    }),
    property(11, 'svc_organizer_email', 'Organizer', email, { description: 'Address of whoever called the meeting.' }),
    property(12, 'svc_attendee_email', 'Attendees', email, {
      multiValued: true,
      description: 'Addresses of those who are invited.',
    }),
    property(13, 'svc_description', 'Description', longText, { description: 'The text of the invitation.' }),
  ],
});

const meetingNotes = objectType({
  id: 12,
  name: 'svc_meeting_notes',
  label: 'Meeting Notes',
  pluralLabel: 'Meeting Notes',
  description: 'What was written down about a meeting, from a connected note taker.',
  category: 'synced',
  nature: 'synced',
  kind: 'activity',
  titleProperty: 'svc_subject',
  properties: [
    ...activityProperties,
    property(8, 'svc_body', 'Body', longText, { description: 'The notes themselves.' }),
    property(9, 'svc_action_items', 'Action items', longText, { description: 'What was agreed to be done.' }),
    property(10, 'svc_recording_url', 'Recording', url, { description: 'Where the recording of the meeting is kept.' }),
  ],
});

const emailThread = objectType({
  id: 13,
  name: 'svc_email_thread',
  label: 'Email Thread',
  pluralLabel: 'Email Threads',
  description: 'A conversation by email, from a connected mailbox.',
  category: 'synced',
  nature: 'synced',
  kind: 'activity',
  titleProperty: 'svc_subject',
  properties: [
    ...activityProperties,
    ...messageProperties,
    property(11, 'svc_participant_email', 'Participants', email, {
      multiValued: true,
      description: 'Addresses of all who wrote or received a message of the thread.',
    }),
    property(12, 'svc_has_attachments', 'Has attachments', boolean),
  ],
});

const booking = objectType({
  id: 14,
  name: 'svc_booking',
  label: 'Booking',
  pluralLabel: 'Bookings',
  description: 'An appointment that somebody made through a booking page.',
  category: 'synced',
  nature: 'synced',
  kind: 'activity',
  titleProperty: 'svc_subject',
  properties: [
    ...activityProperties,
    property(8, 'svc_status', 'Status', select, {
      options: options('pending', 'confirmed', 'cancelled', 'completed', 'no_show'),
      description: 'Where the appointment stands.',
    }),
    property(9, 'svc_invitee_name', 'Invitee', text, { description: 'Name of whoever made the booking.' }),
    property(10, 'svc_invitee_email', 'Invitee email', email),
    property(11, 'svc_timezone', 'Time zone', timezone, { description: "The invitee's time zone." }),
    property(12, 'svc_location', 'Location', text),
    property(13, 'svc_conference_url', 'Conference address', url, {
      description: 'Where one joins the appointment on line.',
    }),
    property(14, 'svc_cancelled_at', 'Cancelled at', datetime),
    property(15, 'svc_cancellation_reason', 'Cancellation reason', text),
  ],
});

const bookingType = objectType({
  id: 15,
  name: 'svc_booking_type',
  label: 'Booking Type',
  pluralLabel: 'Booking Types',
  description: 'A sort of appointment that a booking page offers.',
  category: 'synced',
  nature: 'synced',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text),
    property(4, 'svc_description', 'Description', longText),
    property(5, 'svc_duration_minutes', 'Duration in minutes', number, {
      description: 'How long such an appointment lasts.',
    }),
    property(6, 'svc_url', 'Address', url, { description: 'The page on which one books.' }),
    property(7, 'svc_active', 'Active', boolean, { description: 'Whether it can be booked at present.' }),
  ],
});

const file = objectType({
  id: 16,
  name: 'svc_file',
  label: 'File',
  pluralLabel: 'Files',
  description: 'A file kept in a connected system; the record says where, the content stays there.',
  category: 'synced',
  nature: 'synced',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text),
    property(4, 'svc_mime_type', 'Media type', text, { description: 'What the file holds, such as application/pdf.' }),
    property(5, 'svc_size_bytes', 'Size in bytes', number),
    property(6, 'svc_url', 'Address', url, { description: 'Where the file can be opened.' }),
    property(7, 'svc_source', 'Source', text, { description: 'The system from which the file comes.' }),
    property(8, 'svc_modified_at', 'Modified at', datetime, {
      description: 'When the content last changed in that system.',
    }),
  ],
});

export const syncedTypes: readonly ObjectType[] = [meeting, meetingNotes, emailThread, booking, bookingType, file];
