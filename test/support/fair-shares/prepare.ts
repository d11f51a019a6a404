// What the noisy org has before it attacks: a record with very many links, records that are private to another user, large
// records, and a few ordinary ones. It is written by the interface, in batches, and waits where the service asks to.
import { mustSend, type RecordJson, recordsOf, type Send } from '../plain-requests.ts';
import { type NoisyWorld, pause } from './attack.ts';

interface Sizes {
  /** Links of the hub in each of three association types. */
  readonly links: number;
  /** Contacts that are private to another user. */
  readonly hidden: number;
  /** Records of 33 kB, so that 500 of them fill a page. */
  readonly large: number;
  /** Characters in the largest record, at most a MiB. */
  readonly dossier: number;
}

interface Senders {
  /** The key with all grants. */
  readonly full: Send;
  /** The key of the other user, to whom records are private. */
  readonly owner: Send;
}

interface Item {
  readonly status: number;
  readonly id: string;
}

const parts = 16;
const partCharacters = 65_536;

/** A type whose records can be as large as a record may be. */
export const noisySchema = {
  object_types: [
    {
      name: 'dossier',
      label: 'Dossier',
      properties: [
        { name: 'title', label: 'Title', field_type: 'text' },
        ...Array.from({ length: parts }, (_, index) => ({
          name: `part_${index}`,
          label: `Part ${index}`,
          field_type: 'long_text',
        })),
      ],
    },
  ],
};

/** A long text for each part, of this many characters in all; `fill` makes it differ from others. */
export function dossierParts(characters: number, fill: string): Record<string, string> {
  const properties: Record<string, string> = {};
  for (let index = 0; index < parts && index * partCharacters < characters; index++) {
    const length = Math.min(partCharacters, characters - index * partCharacters);
    properties[`part_${index}`] = fill.repeat(Math.ceil(length / fill.length)).slice(0, length);
  }
  return properties;
}

/** The org's schema must be `noisySchema`. */
export async function prepareRecords({ full, owner }: Senders, sizes: Sizes): Promise<NoisyWorld['records']> {
  const [send, sendAsOwner] = [patient(full), patient(owner)];
  const company = (name: string) =>
    mustSend<RecordJson>(send, 'POST', recordsOf('svc_company'), { properties: { svc_name: name } });
  const [hub, privateHub] = [(await company('Hub')).id, (await company('Private hub')).id];
  await hide(send, sendAsOwner, sizes.hidden, privateHub);
  const link = (type: string) => [{ association_type: `svc_${type}_to_company`, target_id: hub }];
  for (const [type, name] of [
    ['contact', 'svc_last_name'],
    ['deal', 'svc_name'],
    ['note', 'svc_title'],
  ] as const) {
    await create(send, sizes.links, (index) => ({
      object_type: `svc_${type}`,
      properties: { [name]: `Spoke ${index}` },
      associations: link(type),
    }));
  }
  const text = 'lorem ipsum dolor sit amet consectetur '.repeat(900).slice(0, 33_000);
  await create(send, sizes.large, () => ({ object_type: 'dossier', properties: { part_0: text } }), 200);
  const contacts = await create(send, 1_000, (index) => ({
    object_type: 'svc_contact',
    properties: { svc_last_name: `Contact ${index}`, svc_email: [`c${index}@noisy.example`] },
  }));
  const companies = await create(send, 200, (index) => ({
    object_type: 'svc_company',
    properties: { svc_name: `Company ${index}` },
  }));
  const deal = await mustSend<RecordJson>(send, 'POST', recordsOf('svc_deal'), { properties: { svc_name: 'Deal' } });
  const stages = await mustSend<RecordJson[]>(send, 'GET', recordsOf('svc_deal_pipeline_stage'));
  const dossier = await mustSend<RecordJson>(send, 'POST', recordsOf('dossier'), {
    properties: { title: 'Large', ...dossierParts(sizes.dossier, 'a long text ') },
  });
  return {
    contacts,
    companies,
    deal: deal.id,
    stages: stages.map(({ id }) => id),
    hub,
    privateHub,
    dossier: dossier.id,
  };
}

/** Contacts of the other user, whose link to the org is removed; the first fifth of them are linked to the company. */
async function hide(send: Send, sendAsOwner: Send, count: number, companyId: string): Promise<void> {
  const { org_id: orgId } = await mustSend<{ org_id: number }>(send, 'GET', '/self/');
  const associations = [{ association_type: 'svc_contact_to_company', target_id: companyId }];
  const ids = await create(sendAsOwner, count, (index) => ({
    object_type: 'svc_contact',
    properties: { svc_last_name: `Hidden ${index}`, svc_job_title: `Job ${index % 1_000}` },
    ...(index < count / 5 ? { associations } : {}),
  }));
  for (let from = 0; from < ids.length; from += 1_000) {
    const operations = ids.slice(from, from + 1_000).map((id) => ({
      operation: 'dissociate',
      object_type: 'svc_contact',
      id,
      association_type: 'svc_record_to_org',
      target_id: String(orgId),
    }));
    await batch(send, operations);
  }
}

async function create(send: Send, count: number, item: (index: number) => object, atOnce = 1_000): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const operations = Array.from({ length: Math.min(atOnce, count - ids.length) }, (_, index) => ({
      operation: 'create',
      ...item(ids.length + index),
    }));
    ids.push(...(await batch(send, operations)).map(({ id }) => id));
  }
  return ids;
}

async function batch(send: Send, operations: readonly object[]): Promise<readonly Item[]> {
  const { results } = await mustSend<{ results: readonly Item[] }>(send, 'POST', '/batch/', { operations });
  const failed = results.find(({ status }) => status >= 300);
  if (failed !== undefined) throw new Error(`An item was refused: ${JSON.stringify(failed)}`);
  return results;
}

/** Sends again what was refused for now, after the time that the service names. */
function patient(send: Send): Send {
  return async (...request) => {
    for (;;) {
      const answer = await send(...request);
      if (answer.status !== 429 && answer.status !== 503) return answer;
      await pause(1_000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  };
}
