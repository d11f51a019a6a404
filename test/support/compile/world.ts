// A few records that are easy to keep in mind, for tests that run compiled SQL: three contacts, a company and three deals.
import type { Sql } from '../../../src/base/sql.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Viewer } from '../../../src/store/viewer.ts';
import { make } from '../records.ts';
import { startService } from '../service.ts';

export interface World {
  readonly database: Database;
  readonly orgId: number;
  /** Sees all of the org's records. */
  readonly viewer: Viewer;
  idOf(name: string): string;
  nameOf(id: string): string;
  stop(): Promise<void>;
}

const contacts = {
  Lovelace: { svc_email: ['ada@example.com', 'ada@acme.example'], svc_job_title: 'Founder', svc_lead_score: 'hot' },
  Hopper: {
    svc_email: ['grace@example.com'],
    svc_job_title: 'Rear Admiral',
    svc_lead_score: 'warm',
    svc_phone_number: [{ country_code: 'US', national_number: '2025550143' }],
  },
  Turing: { svc_job_start_date: '1938-09-04' },
};

/** Each with the contact that it involves. */
const deals = {
  Engine: { amount: { amount: '100', unit: 'USD' }, contact: 'Lovelace' },
  Notes: { amount: { amount: '20.50', unit: 'USD' }, contact: 'Lovelace' },
  Bombe: { amount: { amount: '80', unit: 'GBP' }, contact: 'Turing' },
};

export async function startWorld(): Promise<World> {
  const service = await startService();
  const orgId = await service.createOrg();
  const client = service.client((await service.createKey(orgId)).key);
  const ids = new Map<string, string>();
  const link = (association_type: string, target: string) => [{ association_type, target_id: ids.get(target) ?? '' }];
  const acme = await make(client, 'svc_company', { svc_name: 'Acme', svc_employee_count: '12' });
  ids.set('Acme', acme.id);
  for (const [name, properties] of Object.entries(contacts)) {
    const links = name === 'Turing' ? [] : link('svc_contact_to_company', 'Acme');
    ids.set(name, (await make(client, 'svc_contact', { svc_last_name: name, ...properties }, links)).id);
  }
  for (const [name, { amount, contact }] of Object.entries(deals)) {
    const properties = { svc_name: name, svc_amount: amount };
    ids.set(name, (await make(client, 'svc_deal', properties, link('svc_deal_to_contact', contact))).id);
  }
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  return {
    database: service.database,
    orgId,
    viewer: { orgId, onlyUser: null },
    idOf: (name) => ids.get(name) ?? name,
    nameOf: (id) => names.get(id) ?? id,
    stop: () => service.stop(),
  };
}

/** The names of the records that a statement answers with a column `record_id`, in its order. */
export async function namesFrom(world: World, statement: Sql): Promise<readonly string[]> {
  const rows = await world.database.query<{ record_id: string }>(statement);
  return rows.map((row) => world.nameOf(row.record_id));
}
