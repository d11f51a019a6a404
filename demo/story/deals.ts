// The deals of the demo: what is sold to whom, and how each went through the stages of its pipeline. The table says what
// happened; how long each stage took is drawn, within what is plausible for it.
import { Random } from '../random.ts';

export interface Deal {
  readonly key: string;
  readonly companyKey: string;
  readonly name: string;
  readonly amount: string;
  readonly unit: string;
  readonly pipeline: Pipeline;
  /** The stages that it entered, in their order, each with when: so many working days before this week. */
  readonly entered: readonly { readonly stage: string; readonly workdaysAgo: number }[];
  readonly outcome: Outcome;
}

export type Outcome = 'won' | 'lost' | 'open';

export interface Pipeline {
  readonly name: string;
  /** How many working days a deal stays in each, at least and at most. */
  readonly stages: readonly { readonly name: string; readonly days: readonly [number, number] }[];
  readonly won: string;
  readonly lost: string;
}

/** The one that every new org has (`engine/org-defaults`). */
export const sales: Pipeline = {
  name: 'Sales',
  stages: [
    { name: 'Qualification', days: [2, 9] },
    { name: 'Discovery', days: [5, 16] },
    { name: 'Proposal', days: [6, 20] },
    { name: 'Negotiation', days: [4, 15] },
  ],
  won: 'Won',
  lost: 'Lost',
};

/** Its stages are called differently, because a stage is known by its name in the story. */
export const renewals: Pipeline = {
  name: 'Renewals',
  stages: [
    { name: 'Due', days: [4, 12] },
    { name: 'Contacted', days: [3, 10] },
    { name: 'Terms sent', days: [3, 12] },
  ],
  won: 'Renewed',
  lost: 'Churned',
};

/**
 * `won` and `lost` are followed by how many working days ago it was decided, and a lost deal by the last stage that it was
 * in; `open` by the stage that it is in, and for how many working days.
 */
type Fate =
  | readonly ['won', workdaysAgo: number]
  | readonly ['lost', workdaysAgo: number, after: string]
  | readonly ['open', workdays: number, stage: string];

type Row = readonly [companyKey: string, name: string, amount: string, fate: Fate];

const salesRows: readonly Row[] = [
  ['kestrelvane', 'Slot planning for the Waalhaven site', '48000 EUR', ['won', 148]],
  ['kestrelvane', 'Roll-out to five more warehouses', '186000 EUR', ['open', 6, 'Negotiation']],
  ['brightmoor', 'Field service, 60 seats', '54000', ['won', 121]],
  ['brightmoor', 'Spare parts catalogue', '23500', ['open', 11, 'Proposal']],
  ['solvanghavbruk', 'Cold chain tracking', '31000', ['won', 97]],
  ['tessaro', 'Order portal for restorers', '14800 EUR', ['lost', 84, 'Proposal']],
  ['tessaro', 'Showroom bookings', '6200 EUR', ['open', 4, 'Discovery']],
  ['quintalverde', 'Starter plan', '4800', ['won', 66]],
  ['wierzbameble', 'Assembly crews on tablets', '39500', ['won', 110]],
  ['wierzbameble', 'Second plant', '44000', ['lost', 19, 'Negotiation']],
  ['lindenkamp', 'Pilot in tool storage', '12000', ['won', 132]],
  ['lindenkamp', 'All of production', '78000', ['open', 13, 'Proposal']],
  ['maisonarvelle', 'Sample library', '9600', ['lost', 58, 'Discovery']],
  ['nakatori', 'Traceability for spindles', '128000', ['open', 17, 'Proposal']],
  ['nakatori', 'Training for the Nagoya team', '8500', ['won', 41]],
  ['sundervale', 'Site reports, 200 seats', '92000', ['won', 73]],
  ['sundervale', 'Subcontractor portal', '36000', ['open', 3, 'Negotiation']],
  ['harbourline', 'Reefer alarms', '27500', ['lost', 126, 'Qualification']],
  ['harbourline', 'Customs documents', '41000', ['open', 8, 'Discovery']],
  ['cobrealto', 'Shift handover', '64000', ['won', 52]],
  ['cobrealto', 'Pump inspections', '118000', ['open', 9, 'Discovery']],
  ['baobabledger', 'Support desk', '15600', ['won', 89]],
  ['redgumhealth', 'Home nursing routes', '143000', ['open', 5, 'Negotiation']],
  ['redgumhealth', 'Clinic supplies', '38500', ['won', 27]],
  ['prairiefinch', 'Vendor reviews', '22000', ['lost', 33, 'Proposal']],
  ['tideglass', 'Team plan, 12 seats', '7200', ['won', 104]],
  ['vireolearning', 'Course operations', '33000', ['won', 36]],
  ['vireolearning', 'Instructor scheduling', '18000', ['open', 2, 'Qualification']],
  ['miradalhoteles', 'Purchasing for fourteen houses', '57000', ['open', 14, 'Discovery']],
  ['miradalhoteles', 'Linen and laundry', '21000', ['lost', 68, 'Discovery']],
  ['amberfield', 'Meter exchange', '74500', ['won', 15]],
  ['saebyeokbio', 'Lab inventory', '16500', ['open', 7, 'Qualification']],
  ['lagoaclara', 'Line inspections by drone', '83000', ['open', 10, 'Proposal']],
  ['norrglim', 'Partner agreement', '25000', ['lost', 45, 'Negotiation']],
  ['zeytindal', 'Export paperwork', '46000', ['open', 1, 'Qualification']],
  ['zeytindal', 'Towel tracking pilot', '11500', ['won', 8]],
  ['kauriport', 'Tanker collection', '69000', ['open', 12, 'Negotiation']],
  ['mtkvarimaps', 'Starter plan', '3600', ['open', 4, 'Qualification']],
  ['thistledown', 'Claims visits', '58500', ['won', 4]],
  ['thistledown', 'Archive migration', '19500', ['lost', 91, 'Proposal']],
];

const renewalRows: readonly Row[] = [
  ['kestrelvane', 'Renewal: Waalhaven', '48000 EUR', ['open', 3, 'Terms sent']],
  ['brightmoor', 'Renewal: field service', '56000', ['won', 11]],
  ['solvanghavbruk', 'Renewal: cold chain', '31000', ['open', 5, 'Contacted']],
  ['wierzbameble', 'Renewal: assembly crews', '41000', ['won', 6]],
  ['lindenkamp', 'Renewal: pilot', '12000', ['won', 22]],
  ['baobabledger', 'Renewal: support desk', '15600', ['open', 2, 'Due']],
  ['tideglass', 'Renewal: team plan', '7200', ['lost', 9, 'Contacted']],
  ['quintalverde', 'Renewal: starter plan', '4800', ['open', 1, 'Due']],
];

export const deals: readonly Deal[] = [
  ...salesRows.map((row, index) => dealOf(row, sales, `deal-${index + 1}`)),
  ...renewalRows.map((row, index) => dealOf(row, renewals, `renewal-${index + 1}`)),
];

function dealOf([companyKey, name, price, fate]: Row, pipeline: Pipeline, key: string): Deal {
  const [amount = '', unit = 'USD'] = price.split(' ');
  return { key, companyKey, name, amount, unit, pipeline, outcome: fate[0], entered: enteredBy(fate, pipeline, key) };
}

/** Counted back from the end: when it was decided, or came into the stage that it is in. */
function enteredBy(fate: Fate, { stages, won, lost }: Pipeline, key: string): Deal['entered'] {
  const random = new Random(key);
  const [outcome, workdaysAgo, stage] = fate;
  const last = outcome === 'won' ? stages.length - 1 : stages.findIndex(({ name }) => name === stage);
  let atWorkdays = workdaysAgo + random.between(0.1, 0.9);
  const entered: { stage: string; workdaysAgo: number }[] = [];
  if (outcome === 'open') entered.unshift({ stage: stage ?? '', workdaysAgo: atWorkdays });
  else entered.unshift({ stage: outcome === 'won' ? won : lost, workdaysAgo: atWorkdays });
  for (const { name, days } of stages.slice(0, outcome === 'open' ? last : last + 1).toReversed()) {
    atWorkdays += random.between(...days);
    entered.unshift({ stage: name, workdaysAgo: atWorkdays });
  }
  return entered;
}
