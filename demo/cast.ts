// Who takes part in the demo, and since when: companies with their people and deals, and the users who look after them.
// The first companies came with an import on the first day; the others were met one by one.

import { Random } from './random.ts';
import { type Company, companies } from './story/companies.ts';
import { type Deal, deals } from './story/deals.ts';
import { type Person, people } from './story/people.ts';

/** When the org began, in working days before this week: about ten months. */
export const firstWorkday = 215;
/** Whoever was met before this was in the file that was imported. */
const importedBefore = 125;

export interface Account extends Company {
  readonly ref: string;
  readonly domain: string;
  /** Since when it is known, in working days before this week. */
  readonly since: number;
  readonly members: readonly Member[];
  readonly deals: readonly PlayedDeal[];
}

export interface Member extends Person {
  readonly ref: string;
  readonly email: string;
  readonly since: number;
}

export interface PlayedDeal extends Deal {
  readonly ref: string;
  /** The people it is made with; the first one decides. */
  readonly members: readonly [Member, ...Member[]];
  /** The user who looks after it. */
  readonly owner: string;
  /** When it began and when it ended, or now. */
  readonly from: number;
  readonly until: number;
}

export interface DemoUser {
  readonly ref: string;
  readonly name: string;
  readonly email: string;
}

export const demoUsers: readonly [DemoUser, DemoUser] = [
  { ref: 'user/maya', name: 'Maya Ferreira-Holt', email: 'maya@orrery.example' },
  { ref: 'user/jonas', name: 'Jonas Lindqvar', email: 'jonas@orrery.example' },
];

export const accounts: readonly Account[] = companies.map((company, index) => {
  const random = new Random(company.key);
  const own = deals.filter(({ companyKey }) => companyKey === company.key);
  const begun = own.map(({ entered }) => entered[0]?.workdaysAgo ?? 0);
  const met = begun.length === 0 ? random.between(40, 190) : Math.max(...begun) + random.between(1, 12);
  const since = met > importedBefore ? firstWorkday - 0.35 : met;
  const domain = `${company.key}.example`;
  const members = people
    .filter(({ companyKey }) => companyKey === company.key)
    .map((person): Member => {
      const email = `${person.mailbox}@${domain}`;
      return { ...person, ref: email, email, since: person.decides ? since : since * random.between(0.15, 0.95) };
    });
  const owner = demoUsers[index % 2 === 0 ? 0 : 1].ref;
  return {
    ...company,
    ref: `company/${company.key}`,
    domain,
    since,
    members,
    deals: own.map((deal) => played(deal, members, owner, random)),
  };
});

function played(deal: Deal, members: readonly Member[], owner: string, random: Random): PlayedDeal {
  const [first, ...others] = random.some(
    members.filter(({ decides }) => decides),
    random.whole(1, 3),
  );
  if (first === undefined) throw new RangeError(`${deal.companyKey} has nobody who decides.`);
  const from = deal.entered[0]?.workdaysAgo ?? 0;
  const until = deal.outcome === 'open' ? 0.2 : (deal.entered.at(-1)?.workdaysAgo ?? 0);
  return { ...deal, ref: `deal/${deal.key}`, members: [first, ...others], owner, from, until };
}
