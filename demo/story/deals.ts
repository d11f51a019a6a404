// The deals of the demo: what is sold to whom, and how far each has come in its pipeline.

export interface Pipeline {
  readonly name: string;
  readonly stages: readonly PipelineStage[];
  /** The stages in which a deal ends. */
  readonly won: string;
  readonly lost: string;
}

interface PipelineStage {
  readonly name: string;
  /** How many working days a deal stays in it, at least and at most. */
  readonly days: readonly [least: number, most: number];
  readonly probability: string;
}

/** The pipeline that every new org has (engine/admin/org-defaults). */
export const sales: Pipeline = {
  name: 'Sales',
  stages: [
    { name: 'Qualification', days: [2, 9], probability: '10' },
    { name: 'Discovery', days: [5, 16], probability: '25' },
    { name: 'Proposal', days: [6, 20], probability: '50' },
    { name: 'Negotiation', days: [4, 15], probability: '75' },
  ],
  won: 'Won',
  lost: 'Lost',
};

/** A pipeline that the demo org adds. No stage has a name of the other pipeline: the story names stages by name alone. */
export const renewals: Pipeline = {
  name: 'Renewals',
  stages: [
    { name: 'Due', days: [4, 12], probability: '60' },
    { name: 'Contacted', days: [3, 10], probability: '75' },
    { name: 'Terms sent', days: [3, 12], probability: '90' },
  ],
  won: 'Renewed',
  lost: 'Churned',
};

export type Deal = {
  /** The key of the company. */
  readonly company: string;
  readonly name: string;
  readonly amount: string;
  /** USD unless given. */
  readonly unit?: string;
} & Progress;

/** Numbers are working days before this week: when it was won or lost, or when it entered the stage that it is in. */
type Progress =
  | { readonly won: number }
  /** Lost after this stage. */
  | { readonly lost: number; readonly after: string }
  | { readonly open: number; readonly stage: string };

/** In the pipeline `sales`. */
export const salesDeals: readonly Deal[] = [
  { company: 'kestrelvane', name: 'Slot planning for the Waalhaven site', amount: '48000', unit: 'EUR', won: 148 },
  {
    company: 'kestrelvane',
    name: 'Roll-out to five more warehouses',
    amount: '186000',
    unit: 'EUR',
    open: 6,
    stage: 'Negotiation',
  },
  { company: 'brightmoor', name: 'Field service, 60 seats', amount: '54000', won: 121 },
  { company: 'brightmoor', name: 'Spare parts catalogue', amount: '23500', open: 11, stage: 'Proposal' },
  { company: 'solvanghavbruk', name: 'Cold chain tracking', amount: '31000', won: 97 },
  { company: 'tessaro', name: 'Order portal for restorers', amount: '14800', unit: 'EUR', lost: 84, after: 'Proposal' },
  { company: 'tessaro', name: 'Showroom bookings', amount: '6200', unit: 'EUR', open: 4, stage: 'Discovery' },
  { company: 'quintalverde', name: 'Starter plan', amount: '4800', won: 66 },
  { company: 'wierzbameble', name: 'Assembly crews on tablets', amount: '39500', won: 110 },
  { company: 'wierzbameble', name: 'Second plant', amount: '44000', lost: 19, after: 'Negotiation' },
  { company: 'lindenkamp', name: 'Pilot in tool storage', amount: '12000', won: 132 },
  { company: 'lindenkamp', name: 'All of production', amount: '78000', open: 13, stage: 'Proposal' },
  { company: 'maisonarvelle', name: 'Sample library', amount: '9600', lost: 58, after: 'Discovery' },
  { company: 'nakatori', name: 'Traceability for spindles', amount: '128000', open: 17, stage: 'Proposal' },
  { company: 'nakatori', name: 'Training for the Nagoya team', amount: '8500', won: 41 },
  { company: 'sundervale', name: 'Site reports, 200 seats', amount: '92000', won: 73 },
  { company: 'sundervale', name: 'Subcontractor portal', amount: '36000', open: 3, stage: 'Negotiation' },
  { company: 'harbourline', name: 'Reefer alarms', amount: '27500', lost: 126, after: 'Qualification' },
  { company: 'harbourline', name: 'Customs documents', amount: '41000', open: 8, stage: 'Discovery' },
  { company: 'cobrealto', name: 'Shift handover', amount: '64000', won: 52 },
  { company: 'cobrealto', name: 'Pump inspections', amount: '118000', open: 9, stage: 'Discovery' },
  { company: 'baobabledger', name: 'Support desk', amount: '15600', won: 89 },
  { company: 'redgumhealth', name: 'Home nursing routes', amount: '143000', open: 5, stage: 'Negotiation' },
  { company: 'redgumhealth', name: 'Clinic supplies', amount: '38500', won: 27 },
  { company: 'prairiefinch', name: 'Vendor reviews', amount: '22000', lost: 33, after: 'Proposal' },
  { company: 'tideglass', name: 'Team plan, 12 seats', amount: '7200', won: 104 },
  { company: 'vireolearning', name: 'Course operations', amount: '33000', won: 36 },
  { company: 'vireolearning', name: 'Instructor scheduling', amount: '18000', open: 2, stage: 'Qualification' },
  { company: 'miradalhoteles', name: 'Purchasing for fourteen houses', amount: '57000', open: 14, stage: 'Discovery' },
  { company: 'miradalhoteles', name: 'Linen and laundry', amount: '21000', lost: 68, after: 'Discovery' },
  { company: 'amberfield', name: 'Meter exchange', amount: '74500', won: 15 },
  { company: 'saebyeokbio', name: 'Lab inventory', amount: '16500', open: 7, stage: 'Qualification' },
  { company: 'lagoaclara', name: 'Line inspections by drone', amount: '83000', open: 10, stage: 'Proposal' },
  { company: 'norrglim', name: 'Partner agreement', amount: '25000', lost: 45, after: 'Negotiation' },
  { company: 'zeytindal', name: 'Export paperwork', amount: '46000', open: 1, stage: 'Qualification' },
  { company: 'zeytindal', name: 'Towel tracking pilot', amount: '11500', won: 8 },
  { company: 'kauriport', name: 'Tanker collection', amount: '69000', open: 12, stage: 'Negotiation' },
  { company: 'mtkvarimaps', name: 'Starter plan', amount: '3600', open: 4, stage: 'Qualification' },
  { company: 'thistledown', name: 'Claims visits', amount: '58500', won: 4 },
  { company: 'thistledown', name: 'Archive migration', amount: '19500', lost: 91, after: 'Proposal' },
];

/** In the pipeline `renewals`. */
export const renewalDeals: readonly Deal[] = [
  { company: 'kestrelvane', name: 'Renewal: Waalhaven', amount: '48000', unit: 'EUR', open: 3, stage: 'Terms sent' },
  { company: 'brightmoor', name: 'Renewal: field service', amount: '56000', won: 11 },
  { company: 'solvanghavbruk', name: 'Renewal: cold chain', amount: '31000', open: 5, stage: 'Contacted' },
  { company: 'wierzbameble', name: 'Renewal: assembly crews', amount: '41000', won: 6 },
  { company: 'lindenkamp', name: 'Renewal: pilot', amount: '12000', won: 22 },
  { company: 'baobabledger', name: 'Renewal: support desk', amount: '15600', open: 2, stage: 'Due' },
  { company: 'tideglass', name: 'Renewal: team plan', amount: '7200', lost: 9, after: 'Contacted' },
  { company: 'quintalverde', name: 'Renewal: starter plan', amount: '4800', open: 1, stage: 'Due' },
];
