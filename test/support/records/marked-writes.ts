// Writes that can be found again: each has a mark, which is in every record that it creates or changes, and in no other.
// A link has no mark; the record that it starts from tells whether it is there.
import { mustSend, type RecordJson, recordsOf, type Send } from '../plain-requests.ts';
import type { Random } from '../random.ts';

/** A record that one writer alone changes, as it must be after the writes that were acknowledged. */
export interface Owned {
  readonly id: string;
  version: number;
  /** The companies that it is linked to. */
  readonly companies: Set<string>;
}

export interface Write {
  readonly mark: string;
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /rest/v1. */
  readonly path: string;
  readonly body: unknown;
  /** Sent with its mark as Idempotency-Key. */
  readonly keyed: boolean;
  /** How many entries of the feed with its mark it makes. */
  readonly entries: number;
  /** What an acknowledgement says about the record of the writer; none comes for a write that creates a new one. */
  readonly effect?: (own: Owned) => void;
  state: 'sent' | 'acknowledged' | 'unknown';
  /** The id and version of each record in the answer. */
  records: readonly { readonly id: string; readonly version: string }[];
}

type Plan = Omit<Write, 'mark' | 'state' | 'records'>;
type Change = (random: Random, mark: string, own: Owned, companies: readonly string[]) => Plan;

const contacts = '/objects/svc_contact/records/';
export const worksAt = 'svc_contact_to_company';

/** The companies that writers link to. */
export async function makeCompanies(send: Send): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < 6; index++) {
    const body = { properties: { svc_name: `Company ${index}` } };
    ids.push((await mustSend<RecordJson>(send, 'POST', recordsOf('svc_company'), body)).id);
  }
  return ids;
}

/** Half of them have a unique value; without one, nothing but the idempotency key prevents a second record. */
export function createOf(random: Random, mark: string, companies: readonly string[]): Plan & { company?: string } {
  const company = random.chance(0.4) ? random.pick(companies) : undefined;
  const email = random.chance(0.5) ? { svc_email: [`${mark}@example.com`] } : {};
  const links = company === undefined ? {} : { associations: [{ association_type: worksAt, target_id: company }] };
  const body = { properties: { svc_last_name: mark, ...email }, ...links };
  const keyed = !random.chance(0.1);
  return { method: 'POST', path: contacts, body, keyed, entries: 1, ...(company === undefined ? {} : { company }) };
}

/** A write to the record that the writer owns. */
export function changeOf(random: Random, mark: string, own: Owned, companies: readonly string[]): Plan {
  return random.pick<Change>([updateOf, batchOf, linkOf, linkingBatchOf])(random, mark, own, companies);
}

function updateOf(random: Random, mark: string, { id }: Owned): Plan {
  const body = { properties: { svc_headline: mark, svc_email: [`${mark}@example.com`] } };
  return { method: 'PATCH', path: `${contacts}${id}/`, body, keyed: !random.chance(0.1), entries: 1, effect: oneMore };
}

/** Three contacts, a company that they work at, and an update: five entries and three links. */
function batchOf(random: Random, mark: string, { id }: Owned): Plan {
  const company = { operation: 'create', object_type: 'svc_company', properties: { svc_name: mark }, ref: 'company' };
  const contact = (index: number) => ({
    operation: 'create',
    object_type: 'svc_contact',
    properties: { svc_job_title: mark, ...(index === 0 ? {} : { svc_email: [`${mark}-${index}@example.com`] }) },
    associations: [{ association_type: worksAt, target_id: { ref: 'company' } }],
  });
  const update = { operation: 'update', object_type: 'svc_contact', id, properties: { svc_location: mark } };
  const operations = [company, contact(0), contact(1), contact(2), update];
  const body = { atomic: random.chance(0.5), operations };
  return { method: 'POST', path: '/batch/', body, keyed: !random.chance(0.1), entries: 5, effect: oneMore };
}

/** The service ignores the idempotency key of a link: the request itself can be repeated. */
function linkOf(random: Random, _: string, own: Owned, companies: readonly string[]): Plan {
  const company = random.pick(companies);
  const method = own.companies.has(company) ? 'DELETE' : 'PUT';
  const effect = (record: Owned) => {
    toggle(record, company);
    oneMore(record);
  };
  const path = `${contacts}${own.id}/associations/${worksAt}/${company}/`;
  return { method, path, body: undefined, keyed: true, entries: 0, effect };
}

function linkingBatchOf(random: Random, mark: string, own: Owned, companies: readonly string[]): Plan {
  const company = random.pick(companies);
  const operation = own.companies.has(company) ? 'dissociate' : 'associate';
  const subject = { object_type: 'svc_contact', id: own.id };
  const operations = [
    { operation, ...subject, association_type: worksAt, target_id: company },
    { operation: 'update', ...subject, properties: { svc_location: mark } },
  ];
  const effect = (record: Owned) => {
    toggle(record, company);
    oneMore(record);
    oneMore(record);
  };
  return { method: 'POST', path: '/batch/', body: { atomic: true, operations }, keyed: true, entries: 1, effect };
}

function oneMore(record: Owned): void {
  record.version++;
}

function toggle({ companies }: Owned, company: string): void {
  if (!companies.delete(company)) companies.add(company);
}
