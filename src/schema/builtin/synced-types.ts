// The synced object types (specification 2.4). Ingest writes them from a connected system; clients can read them, and
// link meetings. Their properties are not read-only: the type's nature refuses the writes.
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
      description: 'Status of the meeting in the calendar.',
    }),
    property(9, 'svc_location', 'Location', text),
    property(10, 'svc_conference_url', 'Conference address', url, {
      description: 'Link to join the meeting online.',
    }),
    property(11, 'svc_organizer_email', 'Organizer', email, { description: 'Email address of the organizer.' }),
    property(12, 'svc_attendee_email', 'Attendees', email, {
      multiValued: true,
      description: 'Email addresses of the invited people.',
    }),
    property(13, 'svc_description', 'Description', longText, { description: 'The text of the invitation.' }),
  ],
});

const meetingNotes = objectType({
  id: 12,
  name: 'svc_meeting_notes',
  label: 'Meeting Notes',
  pluralLabel: 'Meeting Notes',
  description: 'Notes on a meeting, from a connected note taker.',
  category: 'synced',
  nature: 'synced',
  kind: 'activity',
  titleProperty: 'svc_subject',
  properties: [
    ...activityProperties,
    property(8, 'svc_body', 'Body', longText, { description: 'The notes themselves.' }),
    property(9, 'svc_action_items', 'Action items', longText, { description: 'The agreed next steps.' }),
    property(10, 'svc_recording_url', 'Recording', url, { description: 'Link to the recording of the meeting.' }),
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
      description: 'Email addresses of everyone who wrote or received a message of the thread.',
    }),
    property(12, 'svc_has_attachments', 'Has attachments', boolean),
  ],
});

const booking = objectType({
  id: 14,
  name: 'svc_booking',
  label: 'Booking',
  pluralLabel: 'Bookings',
  description: 'An appointment made through a booking page.',
  category: 'synced',
  nature: 'synced',
  kind: 'activity',
  titleProperty: 'svc_subject',
  properties: [
    ...activityProperties,
    property(8, 'svc_status', 'Status', select, {
      options: options('pending', 'confirmed', 'cancelled', 'completed', 'no_show'),
      description: 'Status of the appointment.',
    }),
    property(9, 'svc_invitee_name', 'Invitee', text, { description: 'Name of the person who made the booking.' }),
    property(10, 'svc_invitee_email', 'Invitee email', email),
    property(11, 'svc_timezone', 'Time zone', timezone, { description: "The invitee's time zone." }),
    property(12, 'svc_location', 'Location', text),
    property(13, 'svc_conference_url', 'Conference address', url, {
      description: 'Link to join online.',
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
  description: 'A kind of appointment that a booking page offers.',
  category: 'synced',
  nature: 'synced',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text),
    property(4, 'svc_description', 'Description', longText),
    property(5, 'svc_duration_minutes', 'Duration in minutes', number, {
      description: 'Length of the appointment.',
    }),
    property(6, 'svc_url', 'Address', url, { description: 'Link to the booking page.' }),
    property(7, 'svc_active', 'Active', boolean, { description: 'Whether it can be booked now.' }),
  ],
});

const file = objectType({
  id: 16,
  name: 'svc_file',
  label: 'File',
  pluralLabel: 'Files',
  description: 'A file in a connected system. The record links to it; the content stays there.',
  category: 'synced',
  nature: 'synced',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text),
    property(4, 'svc_mime_type', 'Media type', text, {
      description: 'Media type of the content, such as application/pdf.',
    }),
    property(5, 'svc_size_bytes', 'Size in bytes', number),
    property(6, 'svc_url', 'Address', url, { description: 'Link to the file.' }),
    property(7, 'svc_source', 'Source', text, { description: 'The system that the file comes from.' }),
    property(8, 'svc_modified_at', 'Modified at', datetime, {
      description: 'When the content last changed in that system.',
    }),
  ],
});

export const syncedTypes: readonly ObjectType[] = [meeting, meetingNotes, emailThread, booking, bookingType, file];
