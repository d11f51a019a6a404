// An org with deals, stages and contacts for tests of the totals of open deals (contract 6), and the expected totals: whatever is
// written to the org through this file is also kept here, and the totals are added up again from that, in integers.
import { expect } from 'vitest';
import { parseDecimal, writeDecimal } from '../aggregates/decimals.ts';
import { item, succeed } from '../batch.ts';
import type { Client } from '../client.ts';
import type { Random } from '../random.ts';

export interface Money {
  readonly amount: string;
  readonly unit: string;
}

interface Stage {
  readonly probability?: string | undefined;
  readonly closed?: boolean | undefined;
}

interface Deal {
  readonly amount: Money | undefined;
  readonly stage: string | undefined;
  readonly contacts: readonly string[];
  readonly live: boolean;
}

export const potential = 'svc_potential_deal_total';
export const weighted = 'svc_weighted_deal_total';
export type Totals = Readonly<Partial<Record<typeof potential | typeof weighted, Money>>>;

export const inContact = 'svc_deal_to_contact';
export const inStage = 'svc_deal_to_deal_pipeline_stage';
/** Of orgs that tests make. */
const currency = 'USD';
/** An amount has 12 decimals, a probability 12 more, and a hundredth of the product two more. */
const places = 26;

const sizes = { contacts: 80, linkedContacts: 60, deals: 200 };
const stagesMade: readonly Stage[] = [
  { probability: '10', closed: false },
  { probability: '33.333333333333' },
  { probability: '0.50', closed: false },
  { closed: false },
  {},
  { probability: '75' },
  { probability: '100', closed: true },
  { closed: true },
];

export class TotalsWorld {
  readonly client: Client;
  readonly random: Random;
  readonly stages = new Map<string, Stage>();
  readonly deals = new Map<string, Deal>();
  /** Whether each is live. */
  readonly contacts = new Map<string, boolean>();

  constructor(client: Client, random: Random) {
    this.client = client;
    this.random = random;
  }

  /** Stages, contacts and deals at random, with their links. */
  async fill(): Promise<void> {
    for (const stage of stagesMade) await this.addStage(stage);
    const contacts = this.random.times(sizes.contacts, (place) =>
      item('create', 'svc_contact', { properties: { svc_last_name: `Name ${place % 7}` } }),
    );
    for (const { id = '' } of await succeed(this.client, contacts)) this.contacts.set(id, true);
    const linked = this.contactIds().slice(0, sizes.linkedContacts);
    await this.addDeals(
      this.random.times(sizes.deals, () => ({
        amount: this.anyAmount(),
        stage: this.random.chance(0.8) ? this.random.pick([...this.stages.keys()]) : undefined,
        contacts: this.random.some(linked, this.random.between(0, 3)),
      })),
    );
  }

  async addStage(stage: Stage): Promise<string> {
    const properties = { svc_probability: stage.probability ?? null, svc_closed: stage.closed ?? null };
    const [made] = await succeed(this.client, [item('create', 'svc_deal_pipeline_stage', { properties })]);
    const id = made?.id ?? '';
    this.stages.set(id, stage);
    return id;
  }

  async addDeals(deals: readonly Omit<Deal, 'live'>[]): Promise<readonly string[]> {
    const results = await succeed(
      this.client,
      deals.map(({ amount, stage, contacts }) =>
        item('create', 'svc_deal', {
          properties: { svc_amount: amount ?? null },
          associations: [
            ...contacts.map((target_id) => ({ association_type: inContact, target_id })),
            ...(stage === undefined ? [] : [{ association_type: inStage, target_id: stage }]),
          ],
        }),
      ),
    );
    for (const [place, { id = '', status }] of results.entries()) {
      expect(status).toBe(201);
      this.deals.set(id, { ...(deals[place] as Deal), live: true });
    }
    return results.map(({ id }) => id ?? '');
  }

  anyAmount(): Money | undefined {
    const { random } = this;
    if (random.chance(0.1)) return undefined;
    const unit = random.pick([currency, currency, currency, currency, 'EUR', 'GBP']);
    const special = ['0', '0.00', '-12.50', '1.50', '999999999999999999.999999999999', '0.000000000001', '100'];
    if (random.chance(0.25)) return { amount: random.pick(special), unit };
    const part = random.pick(['', '.5', '.10', `.${random.between(0, 999_999)}`]);
    return { amount: `${random.chance(0.1) ? '-' : ''}${random.between(0, 100_000)}${part}`, unit };
  }

  contactIds(): readonly string[] {
    return [...this.contacts.keys()];
  }

  liveContacts(): readonly string[] {
    return [...this.contacts].filter(([, live]) => live).map(([id]) => id);
  }

  liveDeals(): readonly string[] {
    return [...this.deals].filter(([, { live }]) => live).map(([id]) => id);
  }

  /** Writes the items, and changes the deals in the same way. */
  async changeDeals(
    ids: readonly string[],
    toItem: (deal: Deal, id: string) => [object, Partial<Deal>],
  ): Promise<void> {
    const changes = ids.map((id) => ({ id, deal: this.deals.get(id) as Deal }));
    const items = changes.map(({ id, deal }) => {
      const [operation, change] = toItem(deal, id);
      this.deals.set(id, { ...deal, ...change });
      return { object_type: 'svc_deal', id, ...operation };
    });
    for (const { status } of items.length === 0 ? [] : await succeed(this.client, items)) expect(status).toBe(200);
  }

  async changeStage(id: string, stage: Stage): Promise<void> {
    const properties = { svc_probability: stage.probability ?? null, svc_closed: stage.closed ?? null };
    await succeed(this.client, [item('update', 'svc_deal_pipeline_stage', { id, properties })]);
    this.stages.set(id, stage);
  }

  async changeContacts(ids: readonly string[], operation: 'delete' | 'restore'): Promise<void> {
    const results = await succeed(
      this.client,
      ids.map((id) => item(operation, 'svc_contact', { id })),
    );
    for (const { status } of results) expect(status).toBe(200);
    for (const id of ids) this.contacts.set(id, operation === 'restore');
  }

  /** The totals that a read of the contact must have. */
  totalsOf(contactId: string): Totals {
    const counted = [...this.deals.values()].flatMap(({ amount, stage, contacts, live }) => {
      const { probability = '0', closed = false } = (stage && this.stages.get(stage)) || {};
      if (!live || closed || !contacts.includes(contactId) || amount?.unit !== currency) return [];
      return [{ amount: parseDecimal(amount.amount), probability: parseDecimal(probability) }];
    });
    if (counted.length === 0) return {};
    const sum = counted.reduce((all, { amount }) => all + amount, 0n);
    const product = counted.reduce((all, { amount, probability }) => all + amount * probability, 0n);
    return {
      [potential]: { amount: writeDecimal(sum), unit: currency },
      [weighted]: { amount: writeDecimal(product, places), unit: currency },
    };
  }
}

/** For comparing: an amount that a total can have, whatever its scale. */
export function sizeOf({ amount }: Money): bigint {
  return parseDecimal(amount, places);
}

/** Creates, changes, deletes and restores links, stages, values, deals and contacts. */
export async function stirTotals(world: TotalsWorld): Promise<void> {
  const { random } = world;
  const associate = (association_type: string, target_id: string, operation = 'associate') => ({
    operation,
    association_type,
    target_id,
  });
  const withContact = world.liveDeals().filter((id) => (world.deals.get(id)?.contacts.length ?? 0) > 0);
  await world.changeDeals(random.some(withContact, 40), ({ contacts }) => {
    const [gone = '', ...kept] = contacts;
    return [associate(inContact, gone, 'dissociate'), { contacts: kept }];
  });
  await world.changeDeals(random.some(world.liveDeals(), 30), ({ contacts }) => {
    const more = random.pick(world.liveContacts());
    return [associate(inContact, more), { contacts: [...new Set([...contacts, more])] }];
  });
  await world.changeDeals(random.some(world.liveDeals(), 40), () => {
    const stage = random.pick([...world.stages.keys()]);
    return [associate(inStage, stage), { stage }];
  });
  await world.changeDeals(random.some(world.liveDeals(), 40), () => {
    const amount = world.anyAmount();
    return [{ operation: 'update', properties: { svc_amount: amount ?? null } }, { amount }];
  });
  const staged = world.liveDeals().filter((id) => world.deals.get(id)?.stage !== undefined);
  await world.changeDeals(random.some(staged, 15), ({ stage = '' }) => [
    associate(inStage, stage, 'dissociate'),
    { stage: undefined },
  ]);
  const gone = random.some(world.liveDeals(), 60);
  await world.changeDeals(gone, () => [{ operation: 'delete' }, { live: false }]);
  await world.changeDeals(gone.slice(0, 30), () => [{ operation: 'restore' }, { live: true }]);
  const contacts = random.some(world.liveContacts(), 12);
  await world.changeContacts(contacts, 'delete');
  await world.changeContacts(contacts.slice(0, 6), 'restore');
  const [first = '', second = '', third = ''] = world.stages.keys();
  await world.changeStage(first, { probability: '12.345678901234', closed: false });
  await world.changeStage(second, { probability: '20', closed: true });
  await world.changeStage(third, {});
  await loseStage(world);
}

/** A stage that is deleted while its deals are in the trash: they come back without one. */
async function loseStage(world: TotalsWorld): Promise<void> {
  const stage = await world.addStage({ probability: '50', closed: true });
  const contacts = world.random.some(world.liveContacts(), 3);
  const ids = await world.addDeals(
    contacts.map((id) => ({ amount: { amount: '7.70', unit: currency }, stage, contacts: [id] })),
  );
  await world.changeDeals(ids, () => [{ operation: 'delete' }, { live: false }]);
  const [deleted] = await succeed(world.client, [item('delete', 'svc_deal_pipeline_stage', { id: stage })]);
  expect(deleted?.status).toBe(200);
  world.stages.delete(stage);
  await world.changeDeals(ids, () => [{ operation: 'restore' }, { live: true }]);
}
