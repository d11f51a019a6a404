// The few records that all writers of a run share, and what the writers note: requests that went wrong, versions that
// were acknowledged, and transactions that must be in the feed whole.
import { linkPath, mustSend, type RecordJson, readList, recordsOf, type Send } from '../plain-requests.ts';

export interface FeedWorld {
  readonly contacts: readonly string[];
  readonly companies: readonly string[];
  readonly deals: readonly string[];
  readonly notes: readonly string[];
  readonly dealStages: readonly string[];
  readonly lifecycleStages: readonly string[];
  readonly noteStages: readonly string[];
  /** One of the deals, whose history one reader follows. */
  readonly watched: string;
  /**
   * One of the companies and one of the deals that nobody deletes. Links to what is merged lead from and to these: a
   * merge moves the links of records in the trash as well, without entries for them.
   */
  readonly steady: { readonly company: string; readonly deal: string };
}

export const associations = {
  contactCompany: 'svc_contact_to_company',
  contactStage: 'svc_contact_to_lifecycle_stage',
  dealCompany: 'svc_deal_to_company',
  dealContact: 'svc_deal_to_contact',
  dealStage: 'svc_deal_to_deal_pipeline_stage',
  noteContact: 'svc_note_to_contact',
  noteStage: 'svc_note_to_note_pipeline_stage',
} as const;

/** The association types that a copy knows the links of, by the type that they start from. */
export const copiedLinks: Readonly<Record<string, readonly string[]>> = {
  svc_contact: [associations.contactCompany, associations.contactStage],
  svc_deal: [associations.dealCompany, associations.dealContact, associations.dealStage],
  svc_note: [associations.noteContact, associations.noteStage],
};

/** The types that writers write to. */
export const copiedTypes = ['svc_contact', 'svc_company', 'svc_deal', 'svc_note', 'svc_stage_timer'] as const;

export async function makeWorld(send: Send): Promise<FeedWorld> {
  const make = async (type: string, count: number, properties: (index: number) => object) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const body = { properties: properties(index) };
      ids.push((await mustSend<RecordJson>(send, 'POST', recordsOf(type), body)).id);
    }
    return ids;
  };
  const stages = async (type: string) => (await readList(send, type, 'limit=500')).map(({ id }) => id);
  const deals = await make('svc_deal', 4, (index) => ({
    svc_name: `Deal ${index}`,
    svc_amount: { amount: '10.50', unit: 'USD' },
  }));
  const companies = await make('svc_company', 4, (index) => ({ svc_name: `Company ${index}` }));
  const [watched = '', deal = ''] = deals;
  const [company = ''] = companies;
  const lists = {
    contacts: await make('svc_contact', 6, (index) => ({ svc_last_name: `Person ${index}` })),
    companies,
    notes: await make('svc_note', 2, (index) => ({ svc_title: `Note ${index}` })),
    deals,
    dealStages: await stages('svc_deal_pipeline_stage'),
    lifecycleStages: await stages('svc_contact_lifecycle_stage'),
    noteStages: await stages('svc_note_pipeline_stage'),
  };
  for (const [name, ids] of Object.entries(lists)) if (ids.length === 0) throw new Error(`The org has no ${name}.`);
  return { ...lists, watched, steady: { company, deal } };
}

/** The notes of the writers of a run. */
export class WriterNotes {
  readonly findings: string[] = [];
  requests = 0;
  /** `id version` of each write that was acknowledged and made a version. */
  readonly acknowledged = new Set<string>();
  /** Requests that were acknowledged and made or removed a link. */
  readonly linking = new Set<string>();
  /** For each request that changed two records in one transaction, those records. */
  readonly pairs = new Map<string, readonly string[]>();
  /** The timers that answers named. */
  readonly timers: string[] = [];
  /** When each request was sent, and when its answer was there. */
  readonly times = new Map<string, readonly [sentMs: number, answeredMs: number]>();

  made(id: string, version: string | null | undefined): void {
    if (version === null || version === undefined) this.findings.push(`${id} was written without a version`);
    else this.acknowledged.add(`${id} ${version.replaceAll('"', '')}`);
  }
}

/** The last writes of a run, one after the other: for each type the record and version by which its end is known. */
export async function writeMarkers(send: Send, world: FeedWorld): Promise<Readonly<Record<string, Marker>>> {
  const make = async (type: string, properties: object, links: readonly object[] = []) =>
    mustSend<RecordJson>(send, 'POST', recordsOf(type), { properties, associations: links });
  const restore = { operation: 'restore', object_type: 'svc_deal', id: world.watched };
  await mustSend(send, 'POST', '/batch/', { operations: [restore] });
  const patched = { properties: { svc_name: `Over ${Date.now()}` } };
  const watched = await mustSend<RecordJson>(send, 'PATCH', `${recordsOf('svc_deal')}${world.watched}/`, patched);
  const company = await make('svc_company', { svc_name: 'Over' });
  const note = await make('svc_note', { svc_title: 'Over' });
  const [stage = ''] = world.dealStages;
  const link = { association_type: associations.dealStage, target_id: stage };
  const deal = await make('svc_deal', { svc_name: 'Over' }, [link]);
  const left = linkPath('svc_deal', deal.id, associations.dealStage, stage);
  const { stage_timer_id: timer = '' } = await mustSend<{ stage_timer_id?: string }>(send, 'DELETE', left);
  const contact = await make('svc_contact', { svc_last_name: 'Nearly' });
  const over = { properties: { svc_last_name: 'Over' } };
  await mustSend(send, 'PATCH', `${recordsOf('svc_contact')}${contact.id}/`, over);
  return {
    watched: { id: watched.id, version: watched.version },
    svc_company: { id: company.id, version: '1' },
    svc_note: { id: note.id, version: '1' },
    svc_deal: { id: deal.id, version: '2' },
    svc_stage_timer: { id: timer, version: '1' },
    svc_contact: { id: contact.id, version: '2' },
  };
}

export interface Marker {
  readonly id: string;
  readonly version: string;
}
