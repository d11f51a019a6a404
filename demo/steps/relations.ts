// Companies and contacts, and how each contact moved through the lifecycle stages.
import type { Calendar } from './calendar.ts';
import { type Account, type Member, phoneOf } from './cast.ts';
import { Random } from './random.ts';
import { associate, create, link, type Step, stageAs, update } from './step.ts';

/** The lifecycle stages of a new org, in their order. */
const lifecycle = ['Awareness', 'Interest', 'Consideration', 'Evaluation', 'Customer'] as const;
const sources = ['search', 'referral', 'trade fair', 'newsletter', 'guide'] as const;
const ranges = ['1-10', '11-50', '51-200', '201-500', '501-1000', '1001-5000'] as const;

export function relationSteps(accounts: readonly Account[], calendar: Calendar): readonly Step[] {
  return accounts.flatMap((account) => {
    const random = new Random(`relations of ${account.key}`);
    return [
      create(calendar.moment(account.since), 'svc_company', account.ref, companyValues(account, random)),
      ...account.members.flatMap((member, index) => contactSteps(account, member, index, calendar)),
    ];
  });
}

function companyValues(account: Account, random: Random): Readonly<Record<string, unknown>> {
  const perHead = random.whole(70, 260) * 1_000;
  const bound = (range: string) => Number(range.split('-')[1]);
  return {
    svc_name: account.name,
    svc_domain: account.domain,
    svc_website: `https://www.${account.domain}/`,
    svc_industry: account.industry,
    svc_city: account.place.city,
    svc_country: account.place.country,
    svc_country_code: account.place.countryCode,
    svc_employee_count: String(account.size.employees),
    svc_headcount_range: ranges.find((range) => account.size.employees <= bound(range)) ?? '5001-10000',
    svc_annual_revenue: String(account.size.employees * perHead),
    svc_year_founded: String(account.size.founded),
    svc_company_type: account.size.type,
    svc_description: account.description,
  };
}

function contactSteps(account: Account, member: Member, index: number, calendar: Calendar): readonly Step[] {
  const random = new Random(member.email);
  const inDeals = account.deals.filter(({ members }) => members.includes(member));
  const phone = phoneOf(account, random);
  const values = {
    svc_first_name: member.firstName,
    svc_last_name: member.lastName,
    svc_email: [member.email],
    svc_job_title: member.jobTitle,
    svc_location: `${account.place.city}, ${account.place.country}`,
    svc_timezone: account.place.timezone,
    svc_lead_score: 'cold',
    svc_first_web_source: random.pick(sources),
    ...(phone === undefined ? {} : { svc_phone_number: [phone] }),
    ...(index === 0 ? { svc_headline: `${member.jobTitle} at ${account.name}` } : {}),
    ...(random.chance(0.6) ? { svc_job_start_date: calendar.day(member.since + random.whole(100, 1_500)) } : {}),
    ...(random.chance(0.7) ? { preferred_channel: random.pick(['email', 'email', 'phone', 'video']) } : {}),
  };
  const known = create(calendar.moment(member.since), 'svc_contact', member.ref, values, [
    link('svc_contact_to_company', account.ref),
    ...(inDeals.length > 0 || random.chance(0.8) ? [link('svc_contact_to_lifecycle_stage', lifecycleStage(0))] : []),
  ]);
  const open = inDeals.filter(({ outcome }) => outcome === 'open');
  const scored = inDeals.slice(0, 1).map(({ from }) =>
    update(calendar.moment(from), 'svc_contact', member.ref, {
      svc_lead_score: open.length > 0 ? 'hot' : 'warm',
    }),
  );
  return [known, ...scored, ...lifeSteps(account, member, calendar, random)];
}

/** A contact never moves back: of all events that would move it, only those that lead further do. */
function lifeSteps(account: Account, member: Member, calendar: Calendar, random: Random): readonly Step[] {
  const reasons = account.deals.flatMap(({ members, entered, outcome, from, until }) => {
    if (!members.includes(member)) {
      // Some colleagues of a buyer become customers later.
      const later = Math.min(until, member.since) * random.between(0.2, 0.9);
      return outcome === 'won' && random.chance(0.6) ? [{ rank: 4, workdaysAgo: later }] : [];
    }
    const proposed = entered.find(({ stage }) => stage === 'Proposal');
    return [
      { rank: 2, workdaysAgo: from },
      ...(proposed === undefined ? [] : [{ rank: 3, workdaysAgo: proposed.workdaysAgo }]),
      ...(outcome === 'won' ? [{ rank: 4, workdaysAgo: until }] : []),
    ];
  });
  if (reasons.length === 0 && random.chance(0.5)) {
    reasons.push({ rank: 1, workdaysAgo: member.since * random.between(0.2, 0.8) });
  }
  let reached = 0;
  return reasons
    .sort((left, right) => right.workdaysAgo - left.workdaysAgo)
    .flatMap(({ rank, workdaysAgo }) => {
      if (rank <= reached) return [];
      reached = rank;
      const stage = link('svc_contact_to_lifecycle_stage', lifecycleStage(rank));
      return [associate(calendar.moment(workdaysAgo), 'svc_contact', member.ref, stage)];
    });
}

function lifecycleStage(rank: number): string {
  return stageAs('svc_contact_lifecycle_stage', lifecycle[rank] ?? '');
}
