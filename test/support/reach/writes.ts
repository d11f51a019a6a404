// Writes that a key of reach `user` can try in the two orgs: to hidden records, past them, and with their values. Those
// that succeed change both orgs alike, as far as the key can see.
import { item } from '../batch.ts';
import { pathTo } from './reads.ts';
import type { Request } from './side.ts';
import { dealCompany, dealContact, dealStage, life, lifecycle, noteStage, stage, worksAt } from './world.ts';

type Headers = Readonly<Record<string, string>>;
const dry: Headers = { 'svc-dry-run': 'true' };
const contacts = '/objects/svc_contact/records/';
const held = 'held@hidden.example';

function put(source: string, type: string, target: string, headers: Headers = {}): Request {
  return {
    operation: 'putAssociation',
    method: 'PUT',
    path: `${pathTo(source)}associations/${type}/${target}/`,
    headers,
  };
}
function take(source: string, type: string, target: string, headers: Headers = {}): Request {
  return { ...put(source, type, target, headers), operation: 'deleteAssociation', method: 'DELETE' };
}
function create(
  type: string,
  properties: object,
  associations: readonly object[] = [],
  headers: Headers = {},
): Request {
  const body = { properties, associations };
  return { operation: 'createRecord', method: 'POST', path: `/objects/${type}/records/`, body, headers };
}
function update(word: string, properties: object, headers: Headers = {}): Request {
  return { operation: 'updateRecord', method: 'PATCH', path: pathTo(word), body: { properties }, headers };
}
function remove(word: string, headers: Headers = {}): Request {
  return { operation: 'deleteRecord', method: 'DELETE', path: pathTo(word), headers };
}
function upsert(properties: object, associations: readonly object[] = [], headers: Headers = {}): Request {
  const body = { properties, associations };
  return { operation: 'upsertRecord', method: 'PUT', path: `${contacts}?match=svc_email`, body, headers };
}
function batch(operations: readonly object[], more: object = {}, headers: Headers = {}): Request {
  return { operation: 'batch', method: 'POST', path: '/batch/', body: { operations, ...more }, headers };
}
const to = (association_type: string, target_id: string) => ({ association_type, target_id });

/** Links to, from and in the place of what is hidden. */
export function linkWrites(): readonly Request[] {
  const tries = [
    ['«ann»', worksAt, '«xco»'],
    ['«ben»', worksAt, '«xco»'],
    ['«xann»', worksAt, '«co2»'],
    ['«xann»', worksAt, '«xco»'],
    ['«xann»', 'nope', '«co2»'],
    ['«xann»', 'svc_record_to_org', '«org»'],
    ['«xann»', 'svc_record_to_user', '«my user»'],
    ['«once»', 'svc_record_to_org', '«org»'],
    ['«xgone»', worksAt, '«co1»'],
    ['«gone»', worksAt, '«co1»'],
    ['«open»', dealCompany, '«xco»'],
    ['«open»', dealContact, '«xann»'],
    ['«open»', dealStage, '«xstage»'],
    ['«xdeal»', dealStage, stage('Discovery')],
    ['«t1»', 'keeper', '«xann»'],
    ['«t1»', 'part_of', '«xthing»'],
    ['«xthing»', 'in_phase', '«phase one»'],
  ] as const;
  const refused = tries.flatMap(([source, type, target]) =>
    [{}, { 'if-match': '"99"' }].flatMap((headers) => [
      put(source, type, target, headers),
      take(source, type, target, { ...headers, ...dry }),
    ]),
  );
  const made = [
    put('«ann»', worksAt, '«co1»'),
    put('«ann»', worksAt, '«co2»', { 'if-match': '"1"' }),
    take('«ann»', worksAt, '«co2»'),
    take('«open»', dealCompany, '«co2»'),
    // In the second org each of these takes the place of a hidden target.
    put('«open»', dealCompany, '«co2»'),
    put('«t1»', 'keeper', '«ben»'),
    // A hidden stage is left, and its timer is named.
    put('«staged»', dealStage, stage('Discovery')),
    take('«staged»', dealStage, stage('Discovery')),
    put('«open»', dealStage, stage('Proposal')),
    put('«note»', noteStage, '«svc_note_pipeline_stage In Progress»'),
  ];
  return [...refused, ...made.flatMap((each) => [{ ...each, headers: { ...each.headers, ...dry } }, each])];
}

/** Values that are taken, and links to what is hidden, in records of one's own. */
export function recordWrites(): readonly Request[] {
  const key = { 'idempotency-key': 'reach-create' };
  const created = create('svc_contact', { svc_last_name: 'New' }, [to(worksAt, '«co1»')], key);
  return [
    ...[{}, dry].flatMap((headers) => [
      create('svc_contact', { svc_email: [held] }, [], headers),
      create('svc_contact', { svc_email: ['free@seen.example', held] }, [], headers),
      create('svc_contact', {}, [to(worksAt, '«xco»')], headers),
      create('svc_contact', {}, [to(worksAt, '«co1»'), to(worksAt, '«xco»'), to('nope', '«xco»')], headers),
      create('svc_contact', {}, [to('svc_record_to_user', '«xann»')], headers),
      create('svc_deal', {}, [to(dealStage, '«xstage»')], headers),
      update('«xann»', { svc_headline: 'Mine now' }, headers),
      update('«ann»', { svc_email: [held] }, headers),
      upsert({ svc_email: [held] }, [], headers),
      upsert({ svc_email: [held, 'ann@seen.example'] }, [], headers),
      upsert({ svc_email: ['ann@seen.example'] }, [to(worksAt, '«xco»')], headers),
      upsert({ svc_email: [held] }, [], { ...headers, 'if-none-match': '*' }),
    ]),
    ...['"1"', '"99"', '*'].flatMap((tag) => [
      update('«xann»', {}, { 'if-match': tag }),
      remove('«xann»', { 'if-match': tag }),
    ]),
    ...['«xann»', '«xdeal»', '«xnote»', '«xthing»', '«xstage»', '«xgone»', '«once»'].map((word) => remove(word)),
    ...['«xco»', '«xheld»', '«xgone»', '«once»'].map((word) => update(word, {}, { 'idempotency-key': 'reach-update' })),
    created,
    created,
    { ...created, body: { properties: {} } },
    // Its holder is in the trash, if it ever existed.
    create('svc_contact', { svc_email: ['gone@hidden.example'] }),
    upsert({ svc_email: ['gone@hidden.example'], svc_last_name: 'Found' }, [to(lifecycle, life('Customer'))]),
    create('svc_note', { svc_title: 'Of mine' }),
    create('thing', { label: 'of mine' }, [to('part_of', '«t1»'), to('in_phase', '«phase one»')]),
    update('«ann»', { svc_headline: 'Seen' }, { 'if-match': '"3"' }),
    update('«mine»', { svc_headline: 'Mine' }),
    remove('«co1»'),
    remove('«staged too»'),
    remove('«spare»', { 'if-match': '"1"' }),
  ];
}

/** Every operation of a batch, with hidden ids in every place. */
export function batches(): readonly Request[] {
  const contact = (operation: string, more: object) => item(operation, 'svc_contact', more);
  const hidden = ['«xann»', '«xheld»', '«xgone»', '«xlate»'].flatMap((id) => [
    contact('update', { id, properties: { svc_headline: 'Mine' } }),
    contact('delete', { id }),
    contact('restore', { id }),
    contact('merge', { id, duplicate_id: '«ann»' }),
    contact('merge', { id: '«ann»', duplicate_id: id }),
    contact('merge', { id, duplicate_id: id }),
    contact('associate', { id, ...to(worksAt, '«co2»') }),
    contact('dissociate', { id, ...to(worksAt, '«co1»') }),
    contact('associate', { id, ...to('svc_record_to_user', '«my user»') }),
    contact('dissociate', { id, ...to('svc_record_to_org', '«org»') }),
    item('associate', 'svc_deal', { id: '«open»', ...to(dealContact, id) }),
    item('dissociate', 'svc_deal', { id: '«open»', ...to(dealContact, id) }),
    item('create', 'svc_deal', { properties: {}, associations: [to(dealContact, id)] }),
  ]);
  const values = [
    contact('create', { properties: { svc_email: [held] } }),
    contact('upsert', { match: 'svc_email', properties: { svc_email: [held] } }),
    contact('update', { id: '«ben»', properties: { svc_email: [held] } }),
    contact('upsert', {
      match: 'svc_email',
      properties: { svc_email: ['ben@seen.example'] },
      associations: [to(worksAt, '«xco»')],
    }),
  ];
  const stages = [
    item('merge', 'svc_deal_pipeline_stage', { id: '«xstage»', duplicate_id: stage('Lost') }),
    item('merge', 'svc_deal_pipeline_stage', { id: stage('Lost'), duplicate_id: '«xstage»' }),
    item('delete', 'svc_deal_pipeline_stage', { id: '«xstage»' }),
  ];
  const all = [...hidden, ...values, ...stages];
  return [
    batch(all, {}, dry),
    batch(all),
    batch(all, {}, { 'idempotency-key': 'reach-batch' }),
    ...all
      .filter((each) => !/xheld|xlate/.test(JSON.stringify(each)))
      .map((each) => batch([item('create', 'svc_company', { properties: {} }), each], { atomic: true })),
    batch([
      item('restore', 'svc_company', { id: '«co1»' }),
      item('restore', 'svc_deal', { id: '«staged too»' }),
      contact('restore', { id: '«gone»' }),
      contact('merge', { id: '«ben»', duplicate_id: '«dup»' }),
      item('delete', 'svc_deal_pipeline_stage', { id: stage('Lost') }),
      contact('create', { ref: 'it', properties: { svc_last_name: 'Brief' } }),
      contact('dissociate', { id: { ref: 'it' }, ...to('svc_record_to_org', '«org»') }),
      contact('dissociate', { id: { ref: 'it' }, ...to('svc_record_to_user', '«my user»') }),
      contact('update', { id: { ref: 'it' }, properties: {} }),
    ]),
  ];
}
