// The activities around the deals of the demo: meetings from the calendar, some with notes, email threads from the mailbox,
// and phone calls. Calendar and mailbox are read every evening, so a meeting comes in twice: when it is arranged, and after
// it was held.
import { isoText } from '../../src/base/clock.ts';
import { renewals } from '../story/deals.ts';
import { ownPhone } from '../story/phones.ts';
import {
  calls,
  type Meeting,
  meetings,
  renewalMeetings,
  renewalThreads,
  type Thread,
  threads,
} from '../story/texts.ts';
import { demoUsers } from '../story/users.ts';
import type { Calendar } from './calendar.ts';
import { type Account, type Member, type PlayedDeal, phoneOf, worded } from './cast.ts';
import { Random } from './random.ts';
import { bring, broughtAs, create, type Link, link, type Step } from './step.ts';

interface Scene {
  readonly account: Account;
  readonly deal: PlayedDeal;
  readonly calendar: Calendar;
  readonly random: Random;
}

export function activitySteps(accounts: readonly Account[], calendar: Calendar): readonly Step[] {
  return accounts.flatMap((account) =>
    account.deals.flatMap((deal) => {
      const scene = { account, deal, calendar, random: new Random(`activities of ${deal.key}`) };
      const programme = programmeOf(scene);
      // The further a deal has come, the more was said about it.
      const held = programme.meetings.slice(0, deal.entered.length);
      const written = programme.threads.slice(0, deal.entered.length);
      const next = programme.meetings[held.length];
      return [
        ...held.flatMap((meeting, index) => meetingSteps(scene, meeting, [index, held.length])),
        ...written.flatMap((thread, index) => threadSteps(scene, thread, [index, written.length])),
        ...Array.from({ length: scene.random.whole(1, deal.entered.length) }).map((_, index) => callStep(scene, index)),
        ...(deal.outcome === 'open' && next !== undefined && scene.random.chance(0.4)
          ? [comingMeeting(scene, next)]
          : []),
      ];
    }),
  );
}

/** The topics: a customer who renews or buys again needs no introduction. */
function programmeOf({ account, deal }: Scene): {
  readonly meetings: readonly Meeting[];
  readonly threads: readonly Thread[];
} {
  if (deal.pipeline === renewals) return { meetings: renewalMeetings, threads: renewalThreads };
  const isFirst = account.deals.every(({ from }) => from <= deal.from);
  return isFirst ? { meetings, threads } : { meetings: meetings.slice(1), threads: threads.slice(1) };
}

/** The place of an event among `count` of its kind. */
type Turn = readonly [index: number, count: number];

/** Other systems were connected a week ago, and everything older came in on the first evening. */
const connectedFor = 5;

/** When a change in another system was read: in the evening of that day, or on the first evening. */
export function evening(calendar: Calendar, workdaysAgo: number): number {
  return calendar.moment(Math.floor(Math.min(workdaysAgo, connectedFor)) + 0.001);
}

/** Spreads the events of one kind between the beginning and the end of a deal. */
function timeOf({ deal: { from, until }, random }: Scene, [index, count]: Turn): number {
  return from - ((index + random.between(0.15, 0.85)) / count) * (from - until);
}

function about({ account, deal }: Scene, members: readonly Member[]): readonly Link[] {
  return [
    ...members.map((member) => link('svc_activity_to_contact', member.ref)),
    link('svc_activity_to_company', account.ref),
    link('svc_activity_to_deal', deal.ref),
  ];
}

function ownEmail({ deal }: Scene): string {
  return demoUsers.find(({ ref }) => ref === deal.owner)?.email ?? demoUsers[0].email;
}

function meetingLine(scene: Scene, { subject, minutes }: Meeting, key: string, workdaysAgo: number) {
  const { deal, calendar, random } = scene;
  const startedAt = calendar.appointment(workdaysAgo);
  const endedAtMs = Date.parse(startedAt) + minutes * 60_000;
  const atCustomer = random.chance(0.25);
  return {
    external_id: key,
    properties: {
      svc_subject: worded(subject, scene.account, deal),
      svc_started_at: startedAt,
      svc_ended_at: isoText(endedAtMs).replace('.000Z', 'Z'),
      svc_direction: 'outbound',
      svc_status: 'confirmed',
      svc_organizer_email: ownEmail(scene),
      svc_attendee_email: [ownEmail(scene), ...deal.members.map(({ email }) => email)],
      ...(atCustomer
        ? { svc_location: `${scene.account.place.city}, at their office` }
        : { svc_conference_url: `https://meet.orrery.example/${key}` }),
    },
    associations: about(scene, deal.members),
  };
}

function meetingSteps(scene: Scene, meeting: Meeting, turn: Turn): readonly Step[] {
  const { deal, calendar, random } = scene;
  const heldAgo = timeOf(scene, turn);
  const arrangedAgo = Math.min(heldAgo + random.between(0.5, 3), deal.from);
  const key = `cal-${deal.key}-${turn[0] + 1}`;
  const line = meetingLine(scene, meeting, key, heldAgo);
  const arranged = bring(evening(calendar, arrangedAgo), 'svc_meeting', line);
  const cancelled = random.chance(0.07);
  const svc_summary = worded(meeting.summary, scene.account, deal);
  const outcome = cancelled ? { svc_status: 'cancelled' } : { svc_summary };
  const after = bring(evening(calendar, heldAgo), 'svc_meeting', { external_id: key, properties: outcome });
  if (cancelled || !random.chance(0.3)) return [arranged, after];
  return [arranged, after, notesStep(scene, key, line.properties, svc_summary, heldAgo)];
}

function notesStep(
  scene: Scene,
  key: string,
  meeting: Readonly<Record<string, unknown>>,
  summary: string,
  heldAgo: number,
): Step {
  return bring(evening(scene.calendar, heldAgo), 'svc_meeting_notes', {
    external_id: `notes-${key}`,
    properties: {
      svc_subject: meeting['svc_subject'],
      svc_started_at: meeting['svc_started_at'],
      svc_body: `${summary}\n\nPresent: ${scene.deal.members.map(({ firstName }) => firstName).join(', ')}.`,
      svc_action_items: 'Send what was promised, by the end of the week.\nFind the next date.',
    },
    associations: [
      link('svc_meeting_notes_to_meeting', broughtAs('svc_meeting', key)),
      ...about(scene, scene.deal.members),
    ],
  });
}

/** The next meeting, next week or the week after. */
function comingMeeting(scene: Scene, meeting: Meeting): Step {
  const { deal, calendar, random } = scene;
  const line = meetingLine(scene, meeting, `cal-${deal.key}-next`, -random.between(5, 14));
  return bring(evening(calendar, random.between(0.2, Math.min(3, deal.from))), 'svc_meeting', line);
}

function threadSteps(scene: Scene, { subject, summary }: Thread, turn: Turn): readonly Step[] {
  const { deal, calendar, random } = scene;
  const begunAgo = timeOf(scene, turn);
  const lastAgo = Math.max(0.05, begunAgo - random.between(0.1, 3));
  const member = random.pick(deal.members);
  const messages = random.whole(2, 9);
  const first = {
    external_id: `mail-${deal.key}-${turn[0] + 1}`,
    properties: {
      svc_subject: worded(subject, scene.account, deal, member),
      svc_started_at: isoText(calendar.moment(begunAgo)),
      svc_direction: random.chance(0.6) ? 'outbound' : 'inbound',
      svc_summary: worded(summary, scene.account, deal, member),
      svc_message_count: '1',
      svc_participant_email: [ownEmail(scene), member.email],
      svc_has_attachments: random.chance(0.35),
    },
    associations: about(scene, [member]),
  };
  const later = {
    external_id: first.external_id,
    properties: {
      svc_message_count: String(messages),
      svc_last_message_at: isoText(calendar.moment(lastAgo)),
      svc_last_message_direction: messages % 2 === 0 ? 'inbound' : 'outbound',
    },
  };
  const objectType = 'svc_email_thread';
  return [bring(evening(calendar, begunAgo), objectType, first), bring(evening(calendar, lastAgo), objectType, later)];
}

function callStep(scene: Scene, index: number): Step {
  const { account, deal, calendar, random } = scene;
  const at = random.between(deal.until, deal.from);
  const member = random.pick(deal.members);
  const answered = random.chance(0.7);
  const seconds = answered ? random.whole(95, 1_900) : 0;
  const { subject = '', summary = '' } = answered ? random.pick(calls) : {};
  const phone = phoneOf(account, new Random(member.email));
  const startedAtMs = calendar.moment(at) - seconds * 1_000 - 20_000;
  return create(
    calendar.moment(at),
    'svc_call',
    `call/${deal.key}/${index}`,
    {
      svc_subject: answered ? worded(subject, scene.account, deal, member) : `Tried to reach ${member.firstName}`,
      svc_started_at: isoText(startedAtMs),
      svc_direction: 'outbound',
      svc_duration_seconds: String(seconds),
      svc_outcome: answered ? 'connected' : random.pick(['voicemail', 'no_answer', 'no_answer', 'busy']),
      svc_from_number: ownPhone,
      ...(phone === undefined ? {} : { svc_to_number: phone }),
      ...(answered ? { svc_summary: worded(summary, scene.account, deal, member) } : {}),
    },
    about(scene, [member]),
  );
}
