// Whether a key can see a record, and the timer of a stage that it left, operation by operation. Writes are dry runs,
// so that nothing changes.
import { expect } from 'vitest';
import type { Answer } from '../answer.ts';
import { item } from '../batch.ts';
import type { Client } from '../client.ts';
import { type End, idsOf, linkPath, linksPath } from '../links.ts';
import { changesSince, liveAfter } from '../read-feed.ts';
import { contacts, pathOfRecord, recordsPath } from '../records.ts';

/** A contact with all that is linked to it; all but the contact and its timer are seen by everybody. */
export interface Scene {
  readonly contact: End;
  readonly email: string;
  /** A word that only the contact has. */
  readonly word: string;
  readonly timer: End;
  readonly company: End;
  readonly otherCompany: End;
  readonly deal: End;
  readonly spareDeal: End;
  readonly leftStage: End;
  /** Of the feed, from when everybody saw the contact and its timer. */
  readonly cursor: string;
}

type Probe = (caller: Client, scene: Scene) => Promise<boolean>;
type NamedProbe = readonly [operation: string, name: string, probe: Probe];

const dry = { 'svc-dry-run': 'true' };
const worksAt = 'svc_contact_to_company';
const involves = 'svc_deal_to_contact';
const timed = 'svc_stage_timer_to_contact';
const timedIn = 'svc_stage_timer_to_contact_lifecycle_stage';
const timers = recordsPath('svc_stage_timer');

/** Success shows it, a refusal of this status does not; no other answer is right. */
function either(answer: Answer, refused: number): boolean {
  expect([200, 201, refused], answer.text).toContain(answer.status);
  return answer.status !== refused;
}
async function lists(answer: Promise<Answer>, id: string): Promise<boolean> {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  const found = idsOf(body.data).includes(id);
  expect(text.includes(id), text).toBe(found);
  return found;
}
async function includes(answer: Promise<Answer>, type: string, id: string): Promise<boolean> {
  const { body, text } = await answer;
  const records = Array.isArray(body.data) ? body.data : [body.data];
  const found = records.some((record) => idsOf(record.associations[type].items).includes(id));
  expect(text.includes(id), text).toBe(found);
  return found;
}
async function counts(caller: Client, type: string, body: object): Promise<boolean> {
  const aggregations = [{ function: 'count' }];
  const answer = await caller.post(`${recordsPath(type)}aggregate/`, { aggregations, ...body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data[0]?.values.count !== '0';
}
const query = (caller: Client, type: string, body: object) => caller.post(`${recordsPath(type)}query/`, body);
const only = (id: string) => ({ property: 'id', operator: 'in', value: [id] });
const linked = (association: string, target_id: string) => ({ association, operator: 'exists', target_id });
const dryBatch = async (caller: Client, operation: object) => {
  const answer = await caller.post('/batch/', { operations: [operation] }, dry);
  expect([200, 207], answer.text).toContain(answer.status);
  return answer.status === 200;
};
async function follows(caller: Client, cursor: string, id: string, before: readonly string[]): Promise<boolean> {
  const entries = await changesSince(caller, cursor);
  const live = liveAfter(entries, before).has(id);
  // From the beginning, the feed has nothing at all of records that cannot be seen.
  if (cursor === 'earliest') expect(JSON.stringify(entries).includes(id)).toBe(live);
  return live;
}

export const recordProbes: readonly NamedProbe[] = [
  ['listRecords', 'in the list', (caller, { contact }) => lists(caller.get(`${contacts}?limit=500`), contact.id)],
  [
    'listRecords',
    'included in a list',
    (caller, { contact }) =>
      includes(caller.get(`${recordsPath('svc_company')}?limit=500&include=${worksAt}`), worksAt, contact.id),
  ],
  ['getRecord', 'by id', async (caller, { contact }) => either(await caller.get(pathOfRecord(contact)), 404)],
  [
    'getRecord',
    'included in a record',
    (caller, { contact, deal }) =>
      includes(caller.get(`${pathOfRecord(deal)}?include=${involves}`), involves, contact.id),
  ],
  [
    'putAssociation',
    'as a source',
    async (caller, { contact, otherCompany }) =>
      either(await caller.call('PUT', linkPath(contact, worksAt, otherCompany.id), { headers: dry }), 404),
  ],
  [
    'putAssociation',
    'as a target',
    async (caller, { contact, spareDeal }) =>
      either(await caller.call('PUT', linkPath(spareDeal, involves, contact.id), { headers: dry }), 404),
  ],
  [
    'deleteAssociation',
    'as a source',
    async (caller, { contact, company }) =>
      either(await caller.delete(linkPath(contact, worksAt, company.id), dry), 404),
  ],
  [
    'deleteAssociation',
    'as a target',
    async (caller, { contact, deal }) => either(await caller.delete(linkPath(deal, involves, contact.id), dry), 404),
  ],
  [
    'createRecord',
    'as a target',
    async (caller, { contact }) => {
      const associations = [{ association_type: involves, target_id: contact.id }];
      return either(await caller.post(recordsPath('svc_deal'), { properties: {}, associations }, dry), 404);
    },
  ],
  [
    'createRecord',
    'named by a conflict',
    async (caller, { contact, email }) => {
      const { status, body, text } = await caller.post(contacts, { properties: { svc_email: [email] } }, dry);
      expect([status, body.reason], text).toEqual([409, 'unique_value_taken']);
      return body.conflict?.existing_id === contact.id;
    },
  ],
  [
    'updateRecord',
    'by id',
    async (caller, { contact }) =>
      either(await caller.patch(pathOfRecord(contact), { properties: { svc_headline: 'X' } }, dry), 404),
  ],
  [
    'deleteRecord',
    'by id',
    async (caller, { contact }) => either(await caller.delete(pathOfRecord(contact), dry), 404),
  ],
  [
    'queryRecords',
    'by id',
    (caller, { contact }) => lists(query(caller, 'svc_contact', { filter: only(contact.id) }), contact.id),
  ],
  [
    'queryRecords',
    'by a word',
    (caller, { contact, word }) => lists(query(caller, 'svc_contact', { search: word }), contact.id),
  ],
  [
    'queryRecords',
    'by a link from it',
    (caller, { contact, deal }) => lists(query(caller, 'svc_deal', { filter: linked(involves, contact.id) }), deal.id),
  ],
  ['aggregateRecords', 'counted', (caller, { contact }) => counts(caller, 'svc_contact', { filter: only(contact.id) })],
  [
    'aggregateRecords',
    'a group of its own',
    async (caller, { contact, deal }) => {
      const body = {
        filter: only(deal.id),
        group_by: [{ association: involves }],
        aggregations: [{ function: 'count' }],
      };
      const { text } = await caller.post(`${recordsPath('svc_deal')}aggregate/`, body);
      return text.includes(contact.id);
    },
  ],
  [
    'listAssociated',
    'from the company',
    (caller, { contact, company }) => lists(caller.get(linksPath(company, worksAt)), contact.id),
  ],
  [
    'listAssociated',
    'from itself',
    async (caller, { contact }) => either(await caller.get(linksPath(contact, worksAt)), 404),
  ],
  [
    'upsertRecord',
    'by its address',
    async (caller, { email }) =>
      either(await caller.put(`${contacts}?match=svc_email`, { properties: { svc_email: [email] } }, dry), 409),
  ],
  [
    'batch',
    'updated',
    (caller, { contact: { id } }) => dryBatch(caller, item('update', 'svc_contact', { id, properties: {} })),
  ],
  ['batch', 'deleted', (caller, { contact: { id } }) => dryBatch(caller, item('delete', 'svc_contact', { id }))],
  [
    'batch',
    'shared',
    (caller, { contact: { id }, company }) =>
      dryBatch(caller, item('associate', 'svc_contact', { id, association_type: worksAt, target_id: company.id })),
  ],
  ['listChanges', 'from the beginning', (caller, { contact }) => follows(caller, 'earliest', contact.id, [])],
  ['listChanges', 'from then', (caller, { contact, cursor }) => follows(caller, cursor, contact.id, [contact.id])],
];

export const timerProbes: readonly NamedProbe[] = [
  ['listRecords', 'in the list', (caller, { timer }) => lists(caller.get(`${timers}?limit=500`), timer.id)],
  [
    'listRecords',
    'included in a list',
    (caller, { timer }) =>
      includes(
        caller.get(`${recordsPath('svc_contact_lifecycle_stage')}?limit=500&include=${timedIn}`),
        timedIn,
        timer.id,
      ),
  ],
  ['getRecord', 'by id', async (caller, { timer }) => either(await caller.get(pathOfRecord(timer)), 404)],
  [
    'getRecord',
    'included in its stage',
    (caller, { timer, leftStage }) =>
      includes(caller.get(`${pathOfRecord(leftStage)}?include=${timedIn}`), timedIn, timer.id),
  ],
  [
    'queryRecords',
    'by id',
    (caller, { timer }) => lists(query(caller, 'svc_stage_timer', { filter: only(timer.id) }), timer.id),
  ],
  [
    'queryRecords',
    'by its stage',
    (caller, { timer, leftStage }) =>
      lists(query(caller, 'svc_stage_timer', { filter: linked(timedIn, leftStage.id), limit: 500 }), timer.id),
  ],
  ['aggregateRecords', 'counted', (caller, { timer }) => counts(caller, 'svc_stage_timer', { filter: only(timer.id) })],
  [
    'listAssociated',
    'from its stage',
    (caller, { timer, leftStage }) => lists(caller.get(`${linksPath(leftStage, timedIn)}?limit=500`), timer.id),
  ],
  [
    'listAssociated',
    'from itself',
    async (caller, { timer }) => either(await caller.get(linksPath(timer, timed)), 404),
  ],
  ['listChanges', 'from the beginning', (caller, { timer }) => follows(caller, 'earliest', timer.id, [])],
  ['listChanges', 'from then', (caller, { timer, cursor }) => follows(caller, cursor, timer.id, [timer.id])],
];

/** The probes whose result differs from the expected one. */
export async function mistold(
  caller: Client,
  scene: Scene,
  probes: readonly NamedProbe[],
  expected: 'told' | 'not told',
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [operation, name, probe] of probes) {
    if ((await probe(caller, scene)) !== (expected === 'told')) wrong.push(`${operation}: ${name}`);
  }
  return wrong;
}
