// Who takes part in the demo, and since when: the companies of the story with their people, deals and users. The story says
// what happened; what it leaves open, such as how long a deal stayed in a stage, is drawn here within plausible bounds.
import { type Company, companies } from '../story/companies.ts';
import { type Deal, type Pipeline, renewalDeals, renewals, sales, salesDeals } from '../story/deals.ts';
import { type Person, people } from '../story/people.ts';
import { type Phone, phoneRanges } from '../story/phones.ts';
import { demoUsers } from '../story/users.ts';
import { Random } from './random.ts';

/** When the org began, in working days before this week: about ten months. */
export const firstWorkday = 215;
/** Companies met before this came with an import on the first day; the others were met one by one. */
const importedBefore = 125;
/** How many people of a company decide what is bought. */
const deciders = 3;

/** Letters that Unicode does not decompose into a plain letter and a mark. */
const plainLetters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ı: 'i', ß: 'ss', æ: 'ae' };

export interface Account extends Company {
  readonly ref: string;
  readonly domain: string;
  /** When it was first met, in working days before this week. */
  readonly since: number;
  readonly members: readonly Member[];
  readonly deals: readonly PlayedDeal[];
}

export interface Member extends Person {
  readonly ref: string;
  readonly email: string;
  readonly since: number;
  /** Whether the person decides what is bought. */
  readonly decides: boolean;
}

export interface PlayedDeal {
  readonly key: string;
  readonly ref: string;
  readonly name: string;
  readonly amount: string;
  readonly unit: string;
  readonly outcome: 'won' | 'lost' | 'open';
  readonly pipeline: Pipeline;
  /** The stages that it entered, in order, each with the working days before this week. */
  readonly entered: readonly Entered[];
  /** When it began, and when it ended or, for an open deal, about now. */
  readonly from: number;
  readonly until: number;
  /** The people it is made with; the first one decides. */
  readonly members: readonly [Member, ...Member[]];
  /** The user who looks after it. */
  readonly owner: string;
}

interface Entered {
  readonly stage: string;
  readonly workdaysAgo: number;
}

type StagedDeal = Omit<PlayedDeal, 'members' | 'owner'> & { readonly companyKey: string };

const deals: readonly StagedDeal[] = [
  ...salesDeals.map((deal, index) => stagedDeal(deal, sales, `deal-${index + 1}`)),
  ...renewalDeals.map((deal, index) => stagedDeal(deal, renewals, `renewal-${index + 1}`)),
];

export const accounts: readonly Account[] = companies.map((company, index) => {
  const random = new Random(company.key);
  const own = deals.filter(({ companyKey }) => companyKey === company.key);
  const met =
    own.length === 0 ? random.between(40, 190) : Math.max(...own.map(({ from }) => from)) + random.between(1, 12);
  const since = met > importedBefore ? firstWorkday - 0.35 : met;
  const domain = `${company.key}.example`;
  const members = (people[company.key] ?? []).map((person, place): Member => {
    const decides = place < deciders;
    const email = `${plain(person.firstName)}.${plain(person.lastName)}@${domain}`;
    return { ...person, ref: email, email, decides, since: decides ? since : since * random.between(0.15, 0.95) };
  });
  const owner = demoUsers[index % 2 === 0 ? 0 : 1].ref;
  return {
    ...company,
    ref: `company/${company.key}`,
    domain,
    since,
    members,
    deals: own.map((deal) => ({ ...deal, members: buyersAmong(members, random), owner })),
  };
});

function stagedDeal(deal: Deal, pipeline: Pipeline, key: string): StagedDeal {
  const { company: companyKey, name, amount, unit = 'USD' } = deal;
  const outcome = 'won' in deal ? 'won' : 'lost' in deal ? 'lost' : 'open';
  const entered = stagesOf(deal, pipeline, new Random(key));
  const from = entered[0]?.workdaysAgo ?? 0;
  const until = outcome === 'open' ? 0.2 : (entered.at(-1)?.workdaysAgo ?? 0);
  return { key, ref: `deal/${key}`, companyKey, name, amount, unit, outcome, pipeline, entered, from, until };
}

/** Drawn from the end backwards, because the story says when each deal came to where it is. */
function stagesOf(deal: Deal, { stages, won, lost }: Pipeline, random: Random): readonly Entered[] {
  const indexOf = (stage: string) => stages.findIndex(({ name }) => name === stage);
  const [last, passed, ended] =
    'won' in deal
      ? [won, stages.length, deal.won]
      : 'lost' in deal
        ? [lost, indexOf(deal.after) + 1, deal.lost]
        : [deal.stage, indexOf(deal.stage), deal.open];
  let workdaysAgo = ended + random.between(0.1, 0.9);
  const entered: Entered[] = [{ stage: last, workdaysAgo }];
  for (const { name, days } of stages.slice(0, passed).toReversed()) {
    workdaysAgo += random.between(...days);
    entered.unshift({ stage: name, workdaysAgo });
  }
  return entered;
}

function buyersAmong(members: readonly Member[], random: Random): PlayedDeal['members'] {
  const [first, ...others] = random.some(
    members.filter(({ decides }) => decides),
    random.whole(1, 3),
  );
  if (first === undefined) throw new RangeError('A company of the story has a deal and nobody who decides.');
  return [first, ...others];
}

/** Undefined in a country without numbers for fiction. */
export function phoneOf({ place: { countryCode } }: Company, random: Random): Phone | undefined {
  const range = phoneRanges[countryCode];
  if (range === undefined) return undefined;
  const national_number = `${range.begins}${random.whole(range.from, range.to)}`;
  return { country_code: countryCode, national_number };
}

/** A text of the story with the names of those whom it is about. */
export function worded(text: string, account: Account, deal: PlayedDeal, member: Member = deal.members[0]): string {
  const names = { person: member.firstName, company: account.name, deal: deal.name };
  return text.replace(/\{(person|company|deal)\}/g, (_, name: keyof typeof names) => names[name]);
}

/** A name as it is written in an email address: lower-case letters from a to z. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[øłıßæ]/g, (letter) => plainLetters[letter] ?? '')
    .replace(/[^a-z]/g, '');
}
