// The texts of the demo: what people say and write. {person}, {company} and {deal} stand for the names of those whom a text
// is about.

export interface Meeting {
  readonly subject: string;
  readonly minutes: number;
  readonly summary: string;
}

export interface Thread {
  readonly subject: string;
  readonly summary: string;
}

/** Meetings with a new customer, in the order in which they are held. */
export const meetings: readonly Meeting[] = [
  {
    subject: '{company}: getting to know each other',
    minutes: 30,
    summary:
      '{person} explained how they work today and what it costs them. Two sites, three spreadsheets, one tired planner.',
  },
  {
    subject: '{deal}: what is needed',
    minutes: 60,
    summary: 'Went through a week of their work, step by step. Must have: offline use and their own article numbers.',
  },
  {
    subject: '{deal}: demonstration',
    minutes: 45,
    summary: 'Showed it with a copy of their own data. Most questions were about rights and about the export.',
  },
  {
    subject: '{deal}: security and data protection',
    minutes: 45,
    summary: 'Their IT asked about backups, roles and where the data is stored. We still owe two answers in writing.',
  },
  {
    subject: '{deal}: proposal',
    minutes: 45,
    summary: 'Walked through price and schedule. {person} wants the training split into two dates.',
  },
  {
    subject: '{deal}: terms',
    minutes: 30,
    summary: 'Agreed on the notice period and on payment in 30 days. The rest is with their lawyer.',
  },
];

/** Meetings about a renewal. */
export const renewalMeetings: readonly Meeting[] = [
  {
    subject: '{deal}, looking back',
    minutes: 45,
    summary: '{person} brought numbers: a third less paper, and stocktaking in one day instead of three.',
  },
  {
    subject: '{deal}, what comes next',
    minutes: 30,
    summary: 'They would like two more sites and a report for the auditors. Nobody mentioned leaving.',
  },
  {
    subject: '{deal}, terms',
    minutes: 30,
    summary: 'Same price for two years, if they sign before the end of the month.',
  },
];

/** Email threads with a new customer, in the order in which they start. */
export const threads: readonly Thread[] = [
  {
    subject: 'Thank you for your time, {person}',
    summary: 'A recap of the first conversation, and dates for the next.',
  },
  { subject: 'Questions about {deal}', summary: 'A list of eleven questions, nine of them answered at once.' },
  { subject: 'Sample data from {company}', summary: 'They sent a file with 2,000 rows; the dates had to be fixed.' },
  { subject: 'Proposal: {deal}', summary: 'The proposal as sent, and two small corrections since.' },
  { subject: 'Re: price list', summary: '{person} compares it with what they pay today and asks for a yearly price.' },
  { subject: 'Contract for {deal}', summary: 'The draft goes back and forth over the notice period.' },
];

/** Email threads about a renewal. */
export const renewalThreads: readonly Thread[] = [
  { subject: '{deal}: your term ends soon', summary: 'What they have, what it costs, and when it ends.' },
  { subject: 'Seats at {company}', summary: '{person} counts who really uses it: four seats fewer, six new ones.' },
  { subject: '{deal}: terms', summary: 'The offer as sent, and a question about paying quarterly.' },
];

/** Phone calls that were answered. */
export const calls: readonly Thread[] = [
  { subject: 'Asked whether the offer arrived', summary: 'It did. {person} is taking it to the board next week.' },
  {
    subject: 'Found a date for the demonstration',
    summary: 'Thursday after lunch suits them; IT will join for the second half.',
  },
  { subject: 'Talked about the number of seats', summary: 'Fewer than they thought at first, more from next year.' },
  { subject: 'Checked in with {person}', summary: 'All well. They are waiting for the budget of the next quarter.' },
  {
    subject: 'Call back: question about the import',
    summary: 'A column was read as text. Fixed together on the phone.',
  },
  { subject: 'Asked about the decision', summary: 'Two of three have agreed. The third is on holiday until Monday.' },
];

/** Notes; a `task` has a due date and moves through the stages. */
export const notes: readonly {
  readonly title: string;
  readonly body: string;
  readonly priority: 'low' | 'medium' | 'high';
  readonly task: boolean;
}[] = [
  {
    title: 'Send the price list to {person}',
    body: 'With the yearly price, and without the module that they do not need.',
    priority: 'high',
    task: true,
  },
  {
    title: 'Prepare the demonstration for {company}',
    body: 'Load their sample file, hide the columns that nobody asked for, rehearse the part without a network.',
    priority: 'high',
    task: true,
  },
  {
    title: 'How {company} decides',
    body: '{person} proposes, finance checks, and anything above 50,000 goes to the board, which meets every other month.',
    priority: 'medium',
    task: false,
  },
  {
    title: 'Answer the security questionnaire',
    body: 'Forty questions. Thirty are the same as last time.',
    priority: 'medium',
    task: true,
  },
  {
    title: 'What they use today',
    body: 'A spreadsheet on a shared drive, and a whiteboard that somebody photographs every evening.',
    priority: 'low',
    task: false,
  },
  {
    title: 'Find a reference customer for {company}',
    body: 'Same size and trade if possible. They would rather call than read.',
    priority: 'medium',
    task: true,
  },
  {
    title: 'Call {person} about the schedule',
    body: 'Training before the summer or after stocktaking, not in between.',
    priority: 'medium',
    task: true,
  },
  {
    title: 'Why {deal} matters to them',
    body: 'Two audits in one year found goods that were not where the paper said.',
    priority: 'low',
    task: false,
  },
  {
    title: 'Check the terms with our lawyer',
    body: 'They are asking for a notice period of one month. We offered three.',
    priority: 'high',
    task: true,
  },
  {
    title: 'Write up the visit to {company}',
    body: 'Pictures are in the shared folder. The label printer is the bottleneck.',
    priority: 'low',
    task: true,
  },
];

/** Pages of the website of the demo org. */
export const pages: readonly { readonly title: string; readonly path: string }[] = [
  { title: 'Planning that people follow', path: '/' },
  { title: 'Pricing', path: '/pricing/' },
  { title: 'Warehouses and yards', path: '/solutions/warehouses/' },
  { title: 'Field service', path: '/solutions/field-service/' },
  { title: 'How to leave the spreadsheet', path: '/guides/leave-the-spreadsheet/' },
  { title: 'Security', path: '/security/' },
  { title: 'Customers', path: '/customers/' },
];

export const risks: readonly {
  readonly title: string;
  readonly description: string;
  readonly recommendation: string;
  readonly severity: 'low' | 'medium' | 'high';
  readonly category: 'engagement' | 'timing' | 'people' | 'budget' | 'competition';
}[] = [
  {
    title: 'No answer for two weeks',
    description: 'Three emails and a voicemail since the proposal, and no reply.',
    recommendation: 'Call someone else at {company}, and ask what has changed.',
    severity: 'high',
    category: 'engagement',
  },
  {
    title: 'The close date has moved twice',
    description: 'Each time by a month, each time without a reason.',
    recommendation: 'Agree with {person} on what must happen, and by when.',
    severity: 'medium',
    category: 'timing',
  },
  {
    title: 'The deal depends on one contact',
    description: 'All meetings were with {person} alone.',
    recommendation: 'Ask for an introduction to finance and to IT.',
    severity: 'medium',
    category: 'people',
  },
  {
    title: 'Budget is not confirmed',
    description: 'The sum is above what {person} can sign for.',
    recommendation: 'Offer to begin with one site.',
    severity: 'low',
    category: 'budget',
  },
  {
    title: 'They are comparing us with another supplier',
    description: 'Mentioned in the last call, together with a price.',
    recommendation: 'Show the total over three years instead of the monthly fee.',
    severity: 'medium',
    category: 'competition',
  },
];
