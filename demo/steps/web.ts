// Visits to the website of the demo org, by known contacts and by strangers from known companies. Like everything from other
// systems, visits are read every evening.
import { isoText } from '../../src/base/clock.ts';
import { pages } from '../story/texts.ts';
import { evening } from './activities.ts';
import type { Calendar } from './calendar.ts';
import type { Account, Member } from './cast.ts';
import { Random } from './random.ts';
import { bring, broughtAs, link, type Step } from './step.ts';

const sources = ['search', 'newsletter', 'referral', 'direct'] as const;
const devices = ['desktop', 'desktop', 'mobile', 'tablet'] as const;
const site = 'https://www.orrery.example';

export function webSteps(accounts: readonly Account[], calendar: Calendar): readonly Step[] {
  return accounts.flatMap((account, index) => {
    const random = new Random(`visitors from ${account.key}`);
    const known = random.some(account.members, 1);
    return [
      ...known.flatMap((member) => visitorSteps(account, member, `v-${index + 1}a`, calendar, random)),
      ...(random.chance(0.7) ? visitorSteps(account, undefined, `v-${index + 1}b`, calendar, random) : []),
    ];
  });
}

function visitorSteps(
  account: Account,
  member: Member | undefined,
  key: string,
  calendar: Calendar,
  random: Random,
): readonly Step[] {
  const times = Array.from({ length: random.whole(2, 6) })
    .map(() => random.between(0.1, member?.since ?? Math.min(account.since, 120)))
    .sort((left, right) => right - left);
  const from = random.pick(sources);
  const device = random.pick(devices);
  const visits = times.map((workdaysAgo, index) => {
    const source = index === 0 ? from : random.pick(sources);
    return { workdaysAgo, source, key: `visit-${key}-${index + 1}` };
  });
  return visits.flatMap(({ workdaysAgo, source, key: visitKey }, index) => {
    const visitor = {
      external_id: key,
      properties: {
        svc_name: member === undefined ? `Somebody at ${account.name}` : `${member.firstName} ${member.lastName}`,
        svc_visitor_id: key,
        svc_first_seen_at: isoText(calendar.moment(times[0] ?? workdaysAgo)),
        svc_last_seen_at: isoText(calendar.moment(workdaysAgo)),
        svc_visit_count: String(index + 1),
        svc_first_web_source: from,
        svc_last_web_source: source,
        svc_company_domain: account.domain,
        svc_city: account.place.city,
        svc_country_code: account.place.countryCode,
        svc_timezone: account.place.timezone,
        svc_device: device,
      },
      ...(member === undefined ? {} : { associations: [link('svc_web_visitor_to_contact', member.ref)] }),
    };
    const atMs = evening(calendar, workdaysAgo);
    return [
      bring(atMs, 'svc_web_visitor', visitor),
      bring(atMs, 'svc_web_visit', visitLine(visitKey, key, calendar.moment(workdaysAgo), source, random)),
    ];
  });
}

function visitLine(key: string, visitor: string, atMs: number, source: string, random: Random) {
  const page = random.pick(pages);
  const views = random.whole(1, 7);
  return {
    external_id: key,
    properties: {
      svc_title: page.title,
      svc_url: `${site}${page.path}`,
      svc_started_at: isoText(atMs),
      svc_ended_at: isoText(atMs + views * random.whole(20, 150) * 1_000),
      svc_page_view_count: String(views),
      svc_source: source,
      ...(source === 'newsletter' ? { svc_utm_source: 'newsletter', svc_utm_medium: 'email' } : {}),
      ...(source === 'search' ? { svc_referrer: 'https://search.example/' } : {}),
    },
    associations: [link('svc_web_visit_to_web_visitor', broughtAs('svc_web_visitor', visitor))],
  };
}
