// The two orgs of the test of reach. To a key of reach `user` they are the same; the second has private records besides:
// of another user or of none, linked to and from what everybody sees, in and out of stages, merged, deleted.
import { item } from '../batch.ts';
import type { TestService } from '../service.ts';
import { Build, createSide, hiddenWord, link } from './build.ts';
import type { Side } from './side.ts';

const text = (name: string, more = {}) => ({ name, label: name, field_type: 'text', ...more });
const schema = {
  object_types: [
    {
      name: 'thing',
      label: 'Thing',
      title_property: 'label',
      properties: [text('label'), text('code', { unique: true })],
    },
    { name: 'phase', label: 'Phase', title_property: 'label', properties: [text('label')] },
  ],
  association_types: [
    { name: 'part_of', source: 'thing', target: 'thing', cardinality: 'many_to_many' },
    { name: 'keeper', source: 'thing', target: { kind: 'person' }, cardinality: 'many_to_one' },
    { name: 'in_phase', source: 'thing', target: 'phase', cardinality: 'many_to_one', stage: true },
  ],
};

export const worksAt = 'svc_contact_to_company';
export const dealContact = 'svc_deal_to_contact';
export const dealCompany = 'svc_deal_to_company';
export const dealStage = 'svc_deal_to_deal_pipeline_stage';
export const lifecycle = 'svc_contact_to_lifecycle_stage';
export const noteStage = 'svc_note_to_note_pipeline_stage';
export const stage = (name: string) => `«svc_deal_pipeline_stage ${name}»`;
export const life = (name: string) => `«svc_contact_lifecycle_stage ${name}»`;
export const status = (name: string) => `«svc_note_pipeline_stage ${name}»`;

const defaults = [
  'svc_deal_pipeline',
  'svc_deal_pipeline_stage',
  'svc_note_pipeline',
  'svc_note_pipeline_stage',
  'svc_contact_lifecycle_stage',
];

/** Visible to all, or to the user of the key. */
const shownTypes = {
  '«co1»': 'svc_company',
  '«co2»': 'svc_company',
  '«ann»': 'svc_contact',
  '«ben»': 'svc_contact',
  '«mine»': 'svc_contact',
  '«open»': 'svc_deal',
  '«staged»': 'svc_deal',
  '«moved»': 'svc_deal',
  '«note»': 'svc_note',
  '«t1»': 'thing',
} as const;
/** Private, in one org or in both, or in the trash. */
const privateTypes = {
  '«xco»': 'svc_company',
  '«once»': 'svc_company',
  '«xann»': 'svc_contact',
  '«xheld»': 'svc_contact',
  '«xgone»': 'svc_contact',
  '«xlate»': 'svc_contact',
  '«gone»': 'svc_contact',
  '«xdeal»': 'svc_deal',
  '«xdealgone»': 'svc_deal',
  '«xstage»': 'svc_deal_pipeline_stage',
  '«xnote»': 'svc_note',
  '«xcall»': 'svc_call',
  '«xthing»': 'thing',
} as const;
export const shown = Object.keys(shownTypes);
export const privates = Object.keys(privateTypes);
export const typesOfWords: Readonly<Record<string, string>> = { ...shownTypes, ...privateTypes };

export async function createWorld(service: TestService): Promise<readonly [Side, Side]> {
  const build = new Build([await createSide(service, schema, 'plain'), await createSide(service, schema, 'full')]);
  for (const type of defaults) await build.nameAll(type, 'svc_name');
  await companiesAndPeople(build);
  await deals(build);
  await activitiesAndThings(build);
  await trash(build);
  for (const side of build.sides) {
    const { body } = await side.keys.me.get('/changes/?cursor=latest');
    side.name('«older»', body.pagination?.next_cursor ?? 'nowhere');
  }
  await later(build);
  return build.sides;
}

async function companiesAndPeople(build: Build): Promise<void> {
  await build.show('«co1»', 'svc_company', { svc_name: 'Alpha', svc_domain: 'co1.example', svc_employee_count: '10' });
  await build.hide({
    word: '«xco»',
    type: 'svc_company',
    full: { svc_name: `Alpha ${hiddenWord}`, svc_domain: 'xco.example', svc_employee_count: '10' },
    theirs: true,
  });
  await build.show('«co2»', 'svc_company', { svc_name: 'Beta', svc_domain: 'co2.example' });
  await build.show('«spare»', 'svc_company', { svc_name: 'Spare' });
  const person = (name: string) => ({ svc_last_name: `Alpha ${name}`, svc_email: [`${name}@seen.example`] });
  await build.show('«ann»', 'svc_contact', person('ann'), [[worksAt, '«co1»']], [[worksAt, '«xco»']]);
  await build.hide({
    word: '«xann»',
    type: 'svc_contact',
    full: { ...person(hiddenWord), svc_lead_score: 'hot' },
    links: [
      [worksAt, '«co1»'],
      [lifecycle, life('Awareness')],
    ],
    theirs: true,
  });
  await build.show('«ben»', 'svc_contact', person('ben'), [
    [worksAt, '«co1»'],
    [lifecycle, life('Awareness')],
  ]);
  await build.show(
    '«dup»',
    'svc_contact',
    { ...person('dup'), svc_job_title: 'Double' },
    [[worksAt, '«co2»']],
    [[worksAt, '«xco»']],
  );
  // A request for its address is refused in both orgs; all else differs.
  await build.hide({
    word: '«xheld»',
    type: 'svc_contact',
    plain: { svc_email: ['held@hidden.example'] },
    full: { svc_email: ['held@hidden.example', 'more@hidden.example'], svc_last_name: hiddenWord },
    theirs: true,
  });
  await build.run([link('svc_contact', '«ben»', lifecycle, life('Interest'))]);
  await build.run([link('svc_contact', '«xann»', lifecycle, life('Interest'))], 'full');
}

async function deals(build: Build): Promise<void> {
  const deal = (amount: string, unit = 'USD') => ({ svc_name: 'Alpha deal', svc_amount: { amount, unit } });
  await build.hide({
    word: '«xstage»',
    type: 'svc_deal_pipeline_stage',
    plain: { svc_name: 'Plain' },
    full: { svc_name: hiddenWord, svc_position: '3', svc_probability: '40' },
  });
  const first = stage('Qualification');
  await build.show(
    '«open»',
    'svc_deal',
    deal('10'),
    [
      [dealContact, '«ann»'],
      [dealStage, first],
    ],
    [[dealCompany, '«xco»']],
  );
  // In a stage that is private in both orgs, so that leaving it makes a timer in both.
  await build.show('«staged»', 'svc_deal', deal('20'), [[dealStage, '«xstage»']]);
  await build.show('«staged too»', 'svc_deal', deal('21'), [[dealStage, '«xstage»']]);
  await build.show('«moved»', 'svc_deal', deal('30', 'EUR'), [
    [dealCompany, '«co1»'],
    [dealStage, first],
  ]);
  // Neither counts for the totals of contacts: the one by its unit, the other by its stage.
  const hiddenLinks = [
    [dealContact, '«ann»'],
    [dealContact, '«dup»'],
    [dealCompany, '«co1»'],
  ] as const;
  const full = { ...deal('99', 'EUR'), svc_name: hiddenWord };
  const inFirst = [dealStage, first] as const;
  await build.hide({ word: '«xdeal»', type: 'svc_deal', full, links: [...hiddenLinks, inFirst], theirs: true });
  await build.hide({
    word: '«xwon»',
    type: 'svc_deal',
    full: { ...deal('500'), svc_name: hiddenWord },
    links: [...hiddenLinks, [dealStage, stage('Won')]],
  });
  for (const word of ['«xdealgone»', '«xkept»', '«xdup»'])
    await build.hide({ word, type: 'svc_deal', full, links: [inFirst] });
  for (const name of ['Discovery', 'Proposal']) {
    await build.run([link('svc_deal', '«moved»', dealStage, stage(name))]);
    await build.run([link('svc_deal', '«xdeal»', dealStage, stage(name))], 'full');
  }
  await build.run(
    [
      item('delete', 'svc_deal', { id: '«xdealgone»' }),
      item('merge', 'svc_deal', { id: '«xkept»', duplicate_id: '«xdup»' }),
    ],
    'full',
  );
}

async function activitiesAndThings(build: Build): Promise<void> {
  await build.show('«note»', 'svc_note', { svc_title: 'Alpha note' }, [['svc_note_to_contact', '«ann»']]);
  await build.hide({
    word: '«xnote»',
    type: 'svc_note',
    full: { svc_title: hiddenWord },
    links: [
      ['svc_note_to_contact', '«ann»'],
      ['svc_note_to_company', '«co1»'],
      ['svc_note_to_deal', '«open»'],
    ],
  });
  await build.run([link('svc_note', '«xnote»', noteStage, status('Complete'))], 'full');
  const call = { svc_started_at: '2027-05-05T05:05:05Z', svc_subject: hiddenWord };
  const about = 'svc_activity_to_company';
  await build.hide({ word: '«xcall»', type: 'svc_call', full: call, links: [[about, '«co1»']], theirs: true });
  // Dates of last activity count what is hidden: so it is of one date in both orgs.
  await build.hide({
    word: '«xcall2»',
    type: 'svc_call',
    plain: { svc_started_at: '2026-05-05T05:05:05Z' },
    full: { svc_started_at: '2026-05-05T05:05:05Z', svc_subject: hiddenWord },
    links: [
      ['svc_activity_to_contact', '«ann»'],
      ['svc_activity_to_deal', '«open»'],
    ],
  });
  for (const name of ['one', 'two']) await build.show(`«phase ${name}»`, 'phase', { label: name });
  const inPhase = ['in_phase', '«phase one»'] as const;
  await build.show('«t1»', 'thing', { label: 'alpha' }, [inPhase], [['keeper', '«xann»']]);
  await build.hide({
    word: '«xthing»',
    type: 'thing',
    full: { label: `alpha ${hiddenWord}`, code: hiddenWord },
    links: [['part_of', '«t1»'], ['keeper', '«ann»'], inPhase],
  });
  await build.show('«t2»', 'thing', { label: 'beta' }, [['part_of', '«t1»']], [['part_of', '«xthing»']]);
  await build.run([link('thing', '«t1»', 'in_phase', '«phase two»')]);
  await build.run([link('thing', '«xthing»', 'in_phase', '«phase two»')], 'full');
}

async function trash(build: Build): Promise<void> {
  for (const side of build.sides) {
    const { body } = await side.keys.mine.post('/objects/svc_contact/records/', {
      properties: { svc_last_name: 'Mine' },
    });
    side.name('«mine»', body.data.id);
  }
  const org = { association_type: 'svc_record_to_org', target_id: '«org»' };
  await build.run([item('dissociate', 'svc_contact', { id: '«mine»', ...org })]);
  await build.show('«gone»', 'svc_contact', { svc_last_name: 'Gone', svc_email: ['gone@seen.example'] });
  const full = { svc_last_name: hiddenWord, svc_email: ['gone@hidden.example'] };
  await build.hide({ word: '«xgone»', type: 'svc_contact', full, links: [[lifecycle, life('Awareness')]] });
  await build.run([item('delete', 'svc_contact', { id: '«gone»' })]);
  await build.run([item('delete', 'svc_contact', { id: '«xgone»' })], 'full');
  // Seen by all once, and shared and private again more than once.
  await build.hide({ word: '«once»', type: 'svc_company', full: { svc_name: hiddenWord }, theirs: true });
  const sharing = ['associate', 'dissociate'].map((each) => item(each, 'svc_company', { id: '«once»', ...org }));
  await build.run([...sharing, ...sharing], 'full');
}

/** What happens after the older cursor of the feed. */
async function later(build: Build): Promise<void> {
  await build.run([item('update', 'svc_company', { id: '«co2»', properties: { svc_city: 'Paris' } })]);
  await build.hide({ word: '«xlate»', type: 'svc_contact', full: { svc_last_name: hiddenWord } });
  await build.run(
    [
      item('update', 'svc_contact', { id: '«xann»', properties: { svc_headline: hiddenWord } }),
      link('svc_contact', '«xann»', worksAt, '«co2»'),
      link('svc_deal', '«xdeal»', dealStage, stage('Negotiation')),
      item('delete', 'svc_contact', { id: '«xlate»' }),
      item('restore', 'svc_contact', { id: '«xlate»' }),
      item('associate', 'svc_contact', {
        id: '«xlate»',
        association_type: 'svc_record_to_user',
        target_id: '«other user»',
      }),
    ],
    'full',
  );
  await build.run([link('svc_deal', '«moved»', dealStage, stage('Negotiation'))]);
  await build.run([item('update', 'svc_contact', { id: '«ben»', properties: { svc_headline: 'Later' } })]);
}
