// Attacks with reads that take the database long: products of groups, walks over what others keep private, scans without an
// index, and large pages.
import { type Attack, ask, besiege, count, type NoisyWorld, newTally, pause } from './attack.ts';
import { openSocket } from './wire.ts';

const contactPath = '/objects/svc_contact/records/';

/** These requests by turns, by so many clients. */
function turns(name: string, clients: number, requests: (world: NoisyWorld) => readonly Buffer[]): Attack {
  return {
    name,
    needsHidden: true,
    arm: (world) => {
      const all = requests(world);
      const next = (client: number, turn: number) => all[(client + turn) % all.length] ?? Buffer.alloc(0);
      return (until) => besiege(world, { clients, next }, until);
    },
  };
}

const companyAssociations = ['svc_contact_to_company', 'svc_deal_to_company', 'svc_note_to_company'];

/** One record, but as many rows as there are combinations of what is linked to it. */
function explodingBody(hub: string): object {
  return {
    filter: { property: 'id', operator: 'eq', value: hub },
    group_by: companyAssociations.map((association) => ({ association })),
    aggregations: [{ function: 'count' }],
  };
}

const explodingGroups = turns('aggregates with exploding groups', 12, ({ keys, records }) => [
  ask(keys.readOnly, 'POST', '/objects/svc_company/records/aggregate/', explodingBody(records.hub)),
]);

const listsOfUser = turns('lists of a user to whom most is private', 12, ({ keys }) => [
  ask(keys.user, 'GET', `${contactPath}?limit=500`),
  ask(keys.user, 'GET', `${contactPath}?limit=1`),
]);

const linkedListsOfUser = turns('linked lists of a user to whom most is private', 12, ({ keys, records }) => [
  ask(
    keys.user,
    'GET',
    `/objects/svc_company/records/${records.privateHub}/associations/svc_contact_to_company/?limit=500`,
  ),
]);

const includesOfUser = turns('includes of a user to whom most is private', 12, ({ keys, records }) => [
  ask(keys.user, 'GET', `/objects/svc_company/records/${records.privateHub}/?include=svc_contact_to_company`),
  ask(keys.user, 'GET', '/objects/svc_company/records/?limit=500&include=svc_contact_to_company,svc_note_to_company'),
]);

const queriesOfUser = turns('queries of a user to whom most is private', 12, ({ keys }) => [
  ask(keys.user, 'POST', `${contactPath}query/`, {
    filter: { property: 'svc_job_title', operator: 'eq', value: 'Job 7' },
  }),
  ask(keys.user, 'POST', `${contactPath}query/`, { sort: [{ property: 'svc_created_at', direction: 'asc' }] }),
  ask(keys.user, 'POST', `${contactPath}query/`, { search: 'hidden' }),
  ask(keys.user, 'POST', `${contactPath}aggregate/`, { aggregations: [{ function: 'count' }] }),
]);

const scans = turns('filters, sorts and searches without an index', 12, ({ keys }) => {
  const query = (body: object) => ask(keys.readOnly, 'POST', `${contactPath}query/`, body);
  const holds = (operator: string, value: string) => ({ property: 'svc_last_name', operator, value });
  return [
    query({ filter: holds('contains', 'zzz') }),
    query({ filter: holds('ends_with', '99') }),
    query({ filter: { not: holds('starts_with', 'H') } }),
    query({ sort: [{ property: 'svc_last_name', direction: 'desc' }], filter: holds('contains', '7') }),
    query({ search: 'hid 1' }),
    query({ search: 'h' }),
    query({ search: 'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(19).trim() }),
    query({ sort: [{ property: 'svc_weighted_deal_total', direction: 'desc' }] }),
    query({ filter: { property: 'svc_last_activity_at', operator: 'is_not_set' }, search: 'hidden' }),
    query({
      filter: {
        association: 'svc_contact_to_company',
        operator: 'not_exists',
        filter: { property: 'svc_name', operator: 'contains', value: 'q' },
      },
    }),
  ];
});

const manyValues = turns('filters with very many values', 4, ({ keys }) => {
  const value = Array.from({ length: 1_000 }, (_, index) => `Nobody ${index}`);
  const condition = { property: 'svc_headline', operator: 'in', value };
  const filter = { or: Array.from({ length: 48 }, () => condition) };
  return [ask(keys.readOnly, 'POST', `${contactPath}query/`, { filter })];
});

/** Clients that ask for much and leave before it has come. */
const abandonedReads: Attack = {
  name: 'long reads that are abandoned',
  needsHidden: true,
  arm: (world) => {
    const { keys, records } = world;
    const requests = [
      ask(keys.readOnly, 'POST', '/objects/svc_company/records/aggregate/', explodingBody(records.hub)),
      ask(keys.user, 'GET', `${contactPath}?limit=500`),
      ask(keys.readOnly, 'POST', `${contactPath}query/`, {
        filter: { property: 'svc_headline', operator: 'contains', value: 'zzz' },
      }),
    ];
    return async (until) => {
      const tally = newTally();
      for (let sent = 0; performance.now() < until && sent < world.units; sent++) {
        const socket = openSocket(world);
        socket.write(requests[sent % requests.length] ?? '');
        setTimeout(() => socket.destroy(), 50);
        count(tally, 'abandoned');
        await pause(15);
      }
      await pause(100);
      return tally;
    };
  },
};

const aggregatesOfAll = turns('aggregates over all records', 12, ({ keys }) => {
  const groups = [
    [{ property: 'svc_last_name' }],
    [{ property: 'svc_job_title' }, { property: 'svc_created_at', granularity: 'hour' }],
    [{ association: 'svc_contact_to_company' }, { property: 'svc_last_name' }],
  ];
  return groups.map((group_by) =>
    ask(keys.readOnly, 'POST', `${contactPath}aggregate/`, {
      group_by,
      aggregations: [{ function: 'count' }, { function: 'count_distinct', property: 'svc_last_name' }],
      sort: [{ as: 'count', direction: 'desc' }],
      limit: 1_000,
    }),
  );
});

const twoHops = turns('filters over two links', 12, ({ keys }) => {
  const deep = {
    association: 'svc_contact_to_company',
    operator: 'exists',
    filter: {
      association: 'svc_deal_to_company',
      operator: 'exists',
      filter: { property: 'svc_name', operator: 'contains', value: 'no such name' },
    },
  };
  return [ask(keys.readOnly, 'POST', `${contactPath}query/`, { filter: deep })];
});

const largePages = turns('pages with everything included', 8, ({ keys, records }) => [
  ask(keys.readOnly, 'GET', '/objects/dossier/records/?limit=500'),
  ask(
    keys.readOnly,
    'GET',
    '/objects/svc_contact/records/?limit=500&include=svc_contact_to_company,svc_deal_to_contact,svc_note_to_contact,svc_contact_to_lifecycle_stage,svc_activity_to_contact',
  ),
  ask(keys.readOnly, 'GET', `/objects/svc_company/records/${records.hub}/?include=${companyAssociations.join()}`),
]);

/** Each property is asked for by a filter and by a sort, often enough to earn an index. */
const indexesWanted = turns('an index on every property', 4, ({ keys }) => {
  const names = [
    ...['svc_first_name', 'svc_last_name', 'svc_job_title', 'svc_headline', 'svc_location', 'svc_network_id'],
    ...['svc_first_web_source', 'svc_last_web_source', 'svc_network_url', 'svc_timezone', 'svc_job_start_date'],
    ...['svc_lead_score', 'svc_email', 'svc_updated_at', 'svc_created_at'],
  ];
  return names.flatMap((property) => [
    ask(keys.readOnly, 'POST', `${contactPath}query/`, { filter: { property, operator: 'is_set' }, limit: 1 }),
    ask(keys.readOnly, 'POST', `${contactPath}query/`, { sort: [{ property, direction: 'desc' }], limit: 1 }),
    ask(keys.readOnly, 'POST', `${contactPath}query/`, {
      filter: { property, operator: 'eq', value: 'x@example.com' },
      limit: 1,
    }),
  ]);
});

const feedFromEarliest = turns('the feed from its beginning', 8, ({ keys }) => [
  ask(keys.readOnly, 'GET', '/changes/?cursor=earliest&limit=1000'),
  ask(keys.user, 'GET', '/changes/?cursor=earliest&limit=1000'),
  ask(keys.user, 'GET', '/changes/?cursor=earliest&limit=1000&object_type=svc_risk'),
]);

export const readerAttacks: readonly Attack[] = [
  explodingGroups,
  listsOfUser,
  linkedListsOfUser,
  includesOfUser,
  queriesOfUser,
  scans,
  manyValues,
  aggregatesOfAll,
  twoHops,
  largePages,
  indexesWanted,
  feedFromEarliest,
  abandonedReads,
];
