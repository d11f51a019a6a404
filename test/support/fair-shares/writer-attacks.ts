// Attacks with writes: very many clients, and writers that all want the same record, value or lock.
import { type Attack, ask, besiege, count, type NoisyWorld, scaled } from './attack.ts';
import { Wire } from './wire.ts';

const contactPath = '/objects/svc_contact/records/';

const contact = ({ records }: NoisyWorld, index: number) => records.contacts[index % records.contacts.length] ?? '';

const updatesOfOne: Attack = {
  name: 'updates of one record at once',
  arm: (world) => {
    const path = `${contactPath}${contact(world, 0)}/`;
    const clients = scaled(world, 600);
    const requests = Array.from({ length: clients }, (_, index) =>
      ask(world.keys.full, 'PATCH', path, { properties: { svc_headline: `Headline ${index}` } }),
    );
    return (until) => besiege(world, { clients, next: (client) => requests[client] ?? Buffer.alloc(0) }, until);
  },
};

const stageMoves: Attack = {
  name: 'stage moves of one record at once',
  arm: (world) => {
    const { deal, stages } = world.records;
    const path = `/objects/svc_deal/records/${deal}/associations/svc_deal_to_deal_pipeline_stage/`;
    const requests = stages.map((stage) => ask(world.keys.full, 'PUT', `${path}${stage}/`));
    const next = (client: number, turn: number) => requests[(client + turn) % requests.length] ?? Buffer.alloc(0);
    return (until) => besiege(world, { clients: scaled(world, 300), next }, until);
  },
};

/** Reads and writes of all kinds, each small. */
function mixedRequests(world: NoisyWorld): readonly Buffer[] {
  const { keys } = world;
  const filter = { property: 'svc_last_name', operator: 'starts_with', value: 'Contact 1' };
  return Array.from({ length: 40 }, (_, index) => {
    const path = `${contactPath}${contact(world, index)}/`;
    const kinds = [
      ask(keys.full, 'GET', path),
      ask(keys.full, 'GET', `${contactPath}?limit=20`),
      ask(keys.full, 'PATCH', path, { properties: { svc_headline: `Mixed ${index}` } }),
      ask(keys.full, 'POST', contactPath, { properties: { svc_last_name: `Mixed ${index}` } }),
      ask(keys.full, 'POST', `${contactPath}query/`, { filter, limit: 20 }),
    ];
    return kinds[index % kinds.length] ?? Buffer.alloc(0);
  });
}

const thousandClients: Attack = {
  name: 'a thousand clients at once',
  arm: (world) => {
    const requests = mixedRequests(world);
    const next = (client: number, turn: number) => requests[(client + turn) % requests.length] ?? Buffer.alloc(0);
    return (until) => besiege(world, { clients: scaled(world, 1_000), next }, until);
  },
};

const steadyQuota: Attack = {
  name: 'the whole quota at an even pace',
  arm: (world) => {
    const requests = mixedRequests(world);
    const next = (client: number, turn: number) => requests[(client + turn) % requests.length] ?? Buffer.alloc(0);
    return (until) => besiege(world, { clients: 20, perSecond: 100, next }, until);
  },
};

const upsertsOfOneValue: Attack = {
  name: 'upserts of one unique value by many clients',
  arm: (world) => {
    const clients = scaled(world, 200);
    const requests = Array.from({ length: clients }, (_, index) =>
      ask(world.keys.full, 'PUT', `${contactPath}?match=svc_email`, {
        properties: { svc_email: ['one@noisy.example'], svc_headline: `Upsert ${index}` },
      }),
    );
    return (until) => besiege(world, { clients, next: (client) => requests[client] ?? Buffer.alloc(0) }, until);
  },
};

const deletesAndRestores: Attack = {
  name: 'deletes and restores of the same thousand records',
  arm: (world) => {
    const ids = world.records.contacts.slice(0, scaled(world, 1_000));
    const requests = ['delete', 'restore'].map((operation) =>
      ask(world.keys.full, 'POST', '/batch/', {
        operations: ids.map((id) => ({ operation, object_type: 'svc_contact', id })),
      }),
    );
    const next = (client: number, turn: number) => requests[(client + turn) % 2] ?? Buffer.alloc(0);
    return (until) => besiege(world, { clients: 8, cost: Math.ceil(ids.length / 50), next }, until);
  },
};

/** Batches that lock the same records in opposite orders. */
const crossedBatches: Attack = {
  name: 'batches over the same records in opposite orders',
  arm: (world) => {
    const ids = world.records.companies.slice(0, scaled(world, 200));
    const requests = Array.from({ length: 20 }, (_, index) => {
      const operations = (index % 2 === 0 ? ids : ids.toReversed()).map((id) => ({
        operation: 'update',
        object_type: 'svc_company',
        id,
        properties: { svc_city: `City ${index}` },
      }));
      return ask(world.keys.full, 'POST', '/batch/', { atomic: true, operations });
    });
    const next = (client: number, turn: number) => requests[(client + turn) % requests.length] ?? Buffer.alloc(0);
    return (until) => besiege(world, { clients: 20, cost: Math.ceil(ids.length / 50), next }, until);
  },
};

const sameIdempotencyKey: Attack = {
  name: 'one idempotency key by many clients',
  arm: (world) => {
    const clients = scaled(world, 200);
    const body = { properties: { svc_last_name: 'Once' } };
    return (until) =>
      besiege(
        world,
        {
          clients,
          next: (_, turn) => ask(world.keys.full, 'POST', contactPath, body, [`Idempotency-Key: once-${turn}`]),
        },
        until,
      );
  },
};

/** Each batch creates records and merges them into one, one after the other. */
const mergeChains: Attack = {
  name: 'chains of merges',
  arm: (world) => {
    const count = scaled(world, 300);
    const created = Array.from({ length: count }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      ref: `c${index}`,
      properties: { svc_last_name: `Merged ${index}` },
      associations: [{ association_type: 'svc_contact_to_company', target_id: world.records.hub }],
    }));
    const merged = Array.from({ length: count - 1 }, (_, index) => ({
      operation: 'merge',
      object_type: 'svc_contact',
      id: { ref: `c${index + 1}` },
      duplicate_id: { ref: `c${index}` },
    }));
    const bytes = ask(world.keys.full, 'POST', '/batch/', { operations: [...created, ...merged] });
    return (until) => besiege(world, { clients: 4, cost: Math.ceil((2 * count) / 50), next: () => bytes }, until);
  },
};

/** Large transactions that are rolled back. */
const dryRuns: Attack = {
  name: 'dry runs of large batches',
  arm: (world) => {
    const operations = Array.from({ length: scaled(world, 1_000) }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: { svc_last_name: `Dry ${index}`, svc_email: [`dry${index}@noisy.example`] },
    }));
    const bytes = ask(world.keys.full, 'POST', '/batch/', { operations }, ['Svc-Dry-Run: true']);
    return (until) => besiege(world, { clients: 8, cost: Math.ceil(operations.length / 50), next: () => bytes }, until);
  },
};

/** Links of one record, to and from very many others. */
const linksOfOne: Attack = {
  name: 'links of one record at once',
  arm: (world) => {
    const operations = (operation: string) =>
      world.records.contacts.slice(0, scaled(world, 500)).map((id) => ({
        operation,
        object_type: 'svc_deal',
        id: world.records.deal,
        association_type: 'svc_deal_to_contact',
        target_id: id,
      }));
    const requests = ['associate', 'dissociate'].map((operation) =>
      ask(world.keys.full, 'POST', '/batch/', { operations: operations(operation) }),
    );
    const next = (client: number, turn: number) => requests[(client + turn) % 2] ?? Buffer.alloc(0);
    return (until) => besiege(world, { clients: 20, cost: 10, next }, until);
  },
};

/** A record with thousands of links goes and comes back with all of them. */
const hubGoesAndComes: Attack = {
  name: 'deletes and restores of a record with thousands of links',
  arm: (world) => {
    const [remove, restore] = ['delete', 'restore'].map((operation) =>
      ask(world.keys.full, 'POST', '/batch/', {
        operations: [{ operation, object_type: 'svc_company', id: world.records.hub }],
      }),
    ) as [Buffer, Buffer];
    const next = (client: number, turn: number) => ((client + turn) % 2 === 0 ? remove : restore);
    return async (until) => {
      const tally = await besiege(world, { clients: 8, next }, until);
      // Later attacks need it.
      const wire = new Wire(world);
      count(tally, `last restore ${(await wire.ask(restore))?.status}`);
      wire.close();
      return tally;
    };
  },
};

/** One request that has changed thousands of records is taken back again and again, but never written. */
const reverts: Attack = {
  name: 'dry runs of taking back a merge of thousands of links',
  arm: (world) => {
    const { hub, companies } = world.records;
    const batch = (operation: object, ...headers: readonly string[]) =>
      ask(world.keys.full, 'POST', '/batch/', { operations: [operation] }, headers);
    return async (until) => {
      const wire = new Wire(world, 'kept');
      const [id] = companies;
      const merge = { operation: 'merge', object_type: 'svc_company', id, duplicate_id: hub };
      const merged = await wire.ask(batch(merge));
      const { request_id } = JSON.parse(merged?.text ?? '{}') as { request_id?: string };
      const revert = { operation: 'revert', request_id };
      const bytes = batch(revert, 'Svc-Dry-Run: true');
      const tally = await besiege(world, { clients: 8, cost: 200, next: () => bytes }, until);
      // Later attacks need it.
      count(tally, `last revert ${(await wire.ask(batch(revert)))?.status}`);
      wire.close();
      return tally;
    };
  },
};

/** Each batch creates records and erases them: feed entries are rewritten, and kept answers are searched. */
const erasures: Attack = {
  name: 'erasures of new records',
  arm: (world) => {
    const count = scaled(world, 200);
    const refs = Array.from({ length: count }, (_, index) => `c${index}`);
    const created = refs.map((ref, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      ref,
      properties: { svc_last_name: `Erased ${index}` },
      associations: [{ association_type: 'svc_contact_to_company', target_id: world.records.hub }],
    }));
    const erased = refs.map((ref) => ({ operation: 'erase', object_type: 'svc_contact', id: { ref } }));
    const bytes = ask(world.keys.full, 'POST', '/batch/', { operations: [...created, ...erased] });
    return (until) => besiege(world, { clients: 8, cost: Math.ceil((2 * count) / 50), next: () => bytes }, until);
  },
};

/** Each of them locks the administration of the org, and makes every process read the org again. */
const governedChanges: Attack = {
  name: 'changes of members, roles and keys at once',
  arm: (world) => {
    const create = (type: string, properties: object) =>
      ask(world.keys.admin, 'POST', `/objects/${type}/records/`, { properties });
    const svc_grants = ['svc_deal:read'];
    const kinds = [
      (name: string) => create('svc_member', { svc_name: name }),
      (name: string) => create('svc_role', { svc_name: name, svc_reach: 'org', svc_grants }),
      (name: string) => create('svc_access_key', { svc_name: name, svc_grants }),
      () => ask(world.keys.readOnly, 'GET', '/objects/'),
    ];
    const next = (client: number, turn: number) =>
      kinds[client % kinds.length]?.(`Client ${client}, turn ${turn}`) ?? Buffer.alloc(0);
    return (until) => besiege(world, { clients: scaled(world, 100), next }, until);
  },
};

export const writerAttacks: readonly Attack[] = [
  updatesOfOne,
  stageMoves,
  thousandClients,
  steadyQuota,
  upsertsOfOneValue,
  deletesAndRestores,
  crossedBatches,
  sameIdempotencyKey,
  mergeChains,
  dryRuns,
  linksOfOne,
  hubGoesAndComes,
  reverts,
  erasures,
  governedChanges,
];
