// Reads that a key of reach `user` can send, of all that the two orgs have and of all that is hidden in them.
import type { Request } from './side.ts';
import {
  dealCompany,
  dealContact,
  dealStage,
  life,
  lifecycle,
  noteStage,
  privates,
  shown,
  stage,
  status,
  typesOfWords,
  worksAt,
} from './world.ts';

/** The association types of each type that is asked for. */
const associations: Readonly<Record<string, readonly string[]>> = {
  svc_contact: [worksAt, dealContact, lifecycle, 'svc_note_to_contact', 'svc_stage_timer_to_contact'],
  svc_company: [worksAt, dealCompany, 'svc_note_to_company', 'svc_activity_to_company', 'svc_record_to_user'],
  svc_deal: [dealContact, dealCompany, dealStage, 'svc_stage_timer_to_deal', 'svc_activity_to_deal'],
  svc_note: ['svc_note_to_contact', noteStage, 'svc_stage_timer_to_note'],
  svc_call: ['svc_activity_to_contact', 'svc_activity_to_company', 'svc_record_to_org'],
  svc_deal_pipeline_stage: [dealStage, 'svc_stage_timer_to_deal_pipeline_stage'],
  svc_contact_lifecycle_stage: [lifecycle, 'svc_stage_timer_to_contact_lifecycle_stage'],
  svc_note_pipeline_stage: [noteStage, 'svc_stage_timer_to_note_pipeline_stage'],
  svc_stage_timer: [
    'svc_stage_timer_to_deal',
    'svc_stage_timer_to_contact',
    'svc_stage_timer_to_deal_pipeline_stage',
    'svc_stage_timer_to_record',
    'svc_record_to_org',
  ],
  thing: ['part_of', 'keeper', 'in_phase', 'svc_stage_timer_to_record', 'svc_record_to_user'],
  phase: ['in_phase', 'svc_stage_timer_to_stage'],
};

/** Stages have their type in their words. */
const typeOf = (word: string): string => typesOfWords[word] ?? word.slice(1, word.indexOf(' '));

export const pathTo = (word: string) => `/objects/${typeOf(word)}/records/${word}/`;

const get = (operation: string, path: string): Request => ({ operation, method: 'GET', path });
const post = (operation: string, path: string, body: unknown): Request => ({ operation, method: 'POST', path, body });

export function discovery(): readonly Request[] {
  return [
    get('getRoot', '/'),
    get('getOpenapi', '/openapi.json'),
    get('getSelf', '/self/'),
    get('listObjectTypes', '/objects/'),
    get('listFieldTypes', '/field_types/'),
    ...['svc_contact', 'svc_stage_timer', 'thing'].flatMap((type) => [
      get('getObjectType', `/objects/${type}/`),
      get('listAssociationTypes', `/objects/${type}/associations/`),
    ]),
  ];
}

export function recordReads(): readonly Request[] {
  const stages = [stage('Qualification'), stage('Proposal'), life('Awareness'), status('Complete')];
  const one = [...shown, ...stages, ...privates].flatMap((word) => {
    const types = associations[typeOf(word)] ?? [];
    // For others, include shows as much; for hidden records one association shows as much as all of them.
    const asked = ['«ann»', '«co1»', '«open»', '«t1»', ...stages].includes(word) ? types : types.slice(0, 1);
    return [
      get('getRecord', `${pathTo(word)}?include=${types.join()}`),
      ...asked.map((type) => get('listAssociated', `${pathTo(word)}associations/${type}/?limit=2`)),
    ];
  });
  const lists = Object.entries(associations).map(([type, names]) =>
    get('listRecords', `/objects/${type}/records/?limit=5&include=${names.join()}`),
  );
  return [
    ...one,
    get('listAssociated', `${pathTo('«t1»')}associations/part_of/?direction=incoming&properties=label`),
    get('listAssociated', `${pathTo('«xthing»')}associations/part_of/?direction=incoming`),
    get('listAssociated', `${pathTo('«ann»')}associations/svc_record_to_user/`),
    get('listAssociated', `${pathTo('«xann»')}associations/svc_record_to_org/`),
    get('listAssociated', `${pathTo('«xann»')}associations/nope/`),
    get('listAssociated', `${pathTo('«xann»')}associations/${worksAt}/?properties=nope`),
    ...lists,
  ];
}

export function queries(): readonly Request[] {
  const query = (type: string, body: object) => post('queryRecords', `/objects/${type}/records/query/`, body);
  const linked = (association: string, more: object = {}) => ({ association, operator: 'exists', ...more });
  const some = Object.entries(associations).flatMap(([type, names]) => [
    query(type, { search: 'xyzzy' }),
    query(type, { search: 'alpha', limit: 2, include: names.slice(0, 2) }),
    ...names.map((name) => query(type, { filter: linked(name) })),
    // What an org has from the start may be of one millisecond.
    ...(/stage$/.test(type)
      ? []
      : [query(type, { sort: [{ property: 'svc_updated_at', direction: 'desc' }], limit: 4 })]),
  ]);
  const privatesOf = (type: string) => privates.filter((word) => typeOf(word) === type);
  const named = [...new Set(privates.map(typeOf))].map((type) =>
    query(type, { filter: { property: 'id', operator: 'in', value: privatesOf(type) } }),
  );
  const targeted = [
    ...privatesOf('svc_company').map((word) => query('svc_contact', { filter: linked(worksAt, { target_id: word }) })),
    ...privatesOf('svc_contact').map((word) => query('svc_company', { filter: linked(worksAt, { target_id: word }) })),
  ];
  const nested = (property: string, value: string) => ({ property, operator: 'contains', value });
  return [
    ...some,
    ...named,
    ...targeted,
    query('svc_contact', { filter: linked(worksAt, { filter: nested('svc_name', 'xyzzy') }) }),
    query('svc_company', { filter: linked(worksAt, { filter: nested('svc_last_name', 'xyzzy') }) }),
    query('svc_company', { filter: linked(dealCompany, { filter: linked(dealStage) }) }),
    query('svc_deal', { filter: linked(dealStage, { target_id: '«xstage»' }) }),
    query('svc_deal', { filter: { association: dealStage, operator: 'not_exists' } }),
    query('svc_contact', { filter: { property: 'svc_email', operator: 'eq', value: 'held@hidden.example' } }),
    query('svc_contact', { filter: linked('svc_record_to_user', { target_id: '«other user»' }) }),
    query('svc_contact', { sort: [{ property: 'svc_last_activity_at', direction: 'asc' }] }),
  ];
}

export function aggregates(): readonly Request[] {
  const count = { aggregations: [{ function: 'count' }] };
  const aggregate = (type: string, body: object) =>
    post('aggregateRecords', `/objects/${type}/records/aggregate/`, { ...count, ...body });
  const some = Object.entries(associations).flatMap(([type, names]) => [
    aggregate(type, {}),
    ...names.map((association) => aggregate(type, { group_by: [{ association }], limit: 2 })),
  ]);
  return [
    ...some,
    aggregate('svc_deal', { aggregations: [{ function: 'sum', property: 'svc_amount' }] }),
    aggregate('svc_contact', { group_by: [{ property: 'svc_lead_score' }] }),
    aggregate('svc_stage_timer', { aggregations: [{ function: 'count_distinct', property: 'svc_entered_at' }] }),
    aggregate('thing', { group_by: [{ association: 'part_of', direction: 'incoming' }] }),
  ];
}

export function feedReads(): readonly Request[] {
  const feed = (query: string) => get('listChanges', `/changes/?${query}`);
  return [
    feed('limit=7'),
    feed('cursor=latest'),
    feed('cursor=«older»&limit=3'),
    ...Object.keys(associations).map((type) => feed(`object_type=${type}&limit=5`)),
    ...['svc_contact', 'svc_deal', 'svc_stage_timer'].map((type) => feed(`object_type=${type}&cursor=«older»`)),
    ...['«ann»', '«open»', '«mine»', ...privates].map((word) => feed(`record_id=${word}`)),
    ...['«ben»', '«xann»', '«xlate»'].map((word) => feed(`record_id=${word}&cursor=«older»&object_type=svc_contact`)),
  ];
}
