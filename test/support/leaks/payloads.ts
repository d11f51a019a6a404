// Hostile texts and values, and the places of a read that take them. Each text has the marker in it, or is a
// word that no statement of the service has, so that it can be found in the statements that reach the database.
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';

const marker = 'zqx';

/** Names of things that every object of JavaScript has. */
const inherited = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];

/** 40 of them. */
export const payloads: readonly unknown[] = [
  `' or '${marker}'='${marker}`,
  `'; drop table orrery.record; -- ${marker}`,
  `"; delete from orrery.record where '${marker}' <> '`,
  `${marker}' union select secret_digest from orrery.credential --`,
  `${marker}') or 1=1 --`,
  `1; select pg_sleep(10) /* ${marker} */`,
  `'||(select pg_sleep(10))||'${marker}`,
  `$$${marker}$$`,
  `$1${marker}`,
  `\${${marker}}`,
  `{{${marker}}}`,
  `<%= ${marker} %>`,
  `%(${marker})s`,
  `:${marker}`,
  `\\'${marker}`,
  `\\\\${marker}\\`,
  `E'\\047${marker}'`,
  `\u2019 or \u2018${marker}`,
  `\uff07${marker}\uff07`,
  `\u02bc; drop table ${marker}`,
  `\u0000${marker}`,
  `${marker}\u0000'`,
  `\ud800${marker}`,
  `${marker}\r\nset role postgres`,
  `../../${marker}/../etc/passwd`,
  `$.${marker}[*] ? (@ == 1)`,
  `properties->>'${marker}'`,
  `svc_last_name" desc, "${marker}`,
  `svc_last_name::${marker}`,
  `\u202e${marker}`,
  marker.repeat(1_400),
  ...inherited,
  [`${marker}'`],
  { [`${marker}'`]: `${marker}'` },
  987_654_321_987,
  null,
];

/** Texts that no statement may contain: the marker, and parts of the payload that are longer than a word. */
export function needlesOf(payload: unknown): readonly string[] {
  if (typeof payload === 'string') return payload.includes(marker) ? [marker, payload] : [payload];
  return payload === null ? [marker] : [marker, JSON.stringify(payload)];
}

export type Ask = (client: Client, payload: unknown) => Promise<Answer>;

const records = '/objects/svc_contact/records/';
const query =
  (body: object): Ask =>
  (client, payload) =>
    client.post(`${records}query/`, filled(body, payload));
const aggregate =
  (body: object): Ask =>
  (client, payload) => {
    const whole = { aggregations: [{ function: 'count' }], ...body };
    return client.post(`${records}aggregate/`, filled(whole, payload));
  };
const get =
  (path: (text: string) => string): Ask =>
  (client, payload) =>
    client.get(path(inPath(payload)));

/** The place of the payload in a body. */
const here = '(here)';

function filled(body: unknown, payload: unknown): string {
  return JSON.stringify(body, (_, value: unknown) => (value === here ? payload : value));
}

function inPath(payload: unknown): string {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return encodeURIComponent(text.toWellFormed());
}

const set = { operator: 'is_set' };
const exists = { operator: 'exists' };
const works = 'svc_contact_to_company';
const asc = { direction: 'asc' };
const counted = { aggregations: [{ function: 'count', as: here }] };

/** Places of names and words of the service's own: 28 of them. */
export const places: Readonly<Record<string, Ask>> = {
  'a property in filter': query({ filter: { property: here, ...set } }),
  'a property deep in filter': query({ filter: { not: { and: [{ property: here, operator: 'eq', value: 'x' }] } } }),
  'a property of the other end': query({
    filter: { association: works, ...exists, filter: { property: here, ...set } },
  }),
  'an operator': query({ filter: { property: 'svc_last_name', operator: here, value: 'x' } }),
  'an operator of an association': query({ filter: { association: works, operator: here } }),
  'an association in filter': query({ filter: { association: here, ...exists } }),
  'a direction in filter': query({ filter: { association: works, direction: here, ...exists } }),
  'a filter': query({ filter: here }),
  'a property in sort': query({ sort: [{ property: here, ...asc }] }),
  'a direction in sort': query({ sort: [{ property: 'svc_last_name', direction: here }] }),
  'a name in properties': query({ properties: [here] }),
  'a name in include': query({ include: [here] }),
  'a cursor of a query': query({ cursor: here }),
  'a property in group_by': aggregate({ group_by: [{ property: here }] }),
  'a granularity': aggregate({ group_by: [{ property: 'svc_created_at', granularity: here }] }),
  'a time zone': aggregate({ group_by: [{ property: 'svc_created_at', timezone: here }] }),
  'an association in group_by': aggregate({ group_by: [{ association: here }] }),
  'a direction in group_by': aggregate({ group_by: [{ association: works, direction: here }] }),
  'a function': aggregate({ aggregations: [{ function: here, property: 'svc_last_name' }] }),
  'a property in aggregations': aggregate({ aggregations: [{ function: 'count', property: here }] }),
  'a name in having': aggregate({ having: [{ as: here, operator: 'gt', value: '0' }] }),
  'an operator in having': aggregate({ having: [{ as: 'count', operator: here, value: '0' }] }),
  'a name in a sort of groups': aggregate({ sort: [{ as: here, ...asc }] }),
  'a key in a sort of groups': aggregate({ group_by: [{ property: 'svc_last_name' }], sort: [{ key: here, ...asc }] }),
  'a cursor of groups': aggregate({ group_by: [{ property: 'svc_last_name' }], cursor: here }),
  'an object type of a query': (client, payload) => client.post(`/objects/${inPath(payload)}/records/query/`, {}),
  'an object type of an aggregate': (client, payload) =>
    client.post(`/objects/${inPath(payload)}/records/aggregate/`, { aggregations: [{ function: 'count' }] }),
  'include of a list': get((text) => `${records}?include=${text}`),
  'properties of a list': get((text) => `${records}?properties=${text}`),
  'a cursor of a list': get((text) => `${records}?cursor=${text}`),
};

/** Places of names that the caller chooses: any text of 1 to 64 characters is right, and comes back. */
export const freeNames: Readonly<Record<string, Ask>> = {
  'a name in aggregations': aggregate(counted),
  'a name in aggregations and having': aggregate({ ...counted, having: [{ as: here, operator: 'gt', value: '0' }] }),
  'a name in aggregations and sort': aggregate({
    ...counted,
    group_by: [{ property: 'svc_last_name' }],
    sort: [{ as: here, ...asc }],
  }),
};

const is = (property: string, operator: string, value: unknown = here) =>
  query({ filter: { property, operator, value } });

/** Places of values: right or wrong, they are parameters. */
export const values: Readonly<Record<string, Ask>> = {
  'a text': is('svc_last_name', 'eq'),
  'a part of a text': is('svc_last_name', 'contains'),
  'the beginning of a text': is('svc_last_name', 'starts_with'),
  'a part of a long text': is('svc_summary', 'not_contains'),
  'a list of texts': is('svc_last_name', 'in', ['x', here]),
  'an address': is('svc_email', 'ends_with'),
  'an option': is('svc_lead_score', 'eq'),
  'a day': is('svc_job_start_date', 'between', ['2026-01-01', here]),
  'a moment': is('svc_created_at', 'gt'),
  'a zone': is('svc_timezone', 'not_in', [here]),
  'digits of a phone number': is('svc_phone_number', 'contains'),
  'a phone number': is('svc_phone_number', 'eq', { country_code: 'GB', national_number: here }),
  'an id': is('id', 'eq'),
  'a list of ids': is('id', 'in', [here]),
  'a target': query({ filter: { association: works, ...exists, target_id: here } }),
  'a user': query({ filter: { association: 'svc_record_to_user', ...exists, target_id: here } }),
  'an org': query({ filter: { association: 'svc_record_to_org', ...exists, target_id: here } }),
  'a search': query({ search: here }),
  'a search of groups': aggregate({ search: here }),
  'a value of having': aggregate({ having: [{ as: 'count', operator: 'gt', value: here }] }),
  'a limit': query({ limit: here }),
  'a limit of groups': aggregate({ limit: here }),
};
