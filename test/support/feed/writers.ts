// Twelve writers that work at once, most of them on the same few records: updates, links, stages, deletes and restores,
// transactions over two records in both orders, creates and merges. Each continues until it is stopped.

import { type FeedAnswer, type ItemJson, type LinkJson, linkPath, recordsOf, type Send } from '../plain-requests.ts';
import type { Random } from '../random.ts';
import { associations, type FeedWorld, type WriterNotes } from './world.ts';

interface Hand {
  readonly send: Send;
  readonly world: FeedWorld;
  readonly random: Random;
  readonly notes: WriterNotes;
  /** A text that no other write has. */
  token(): string;
}

type Stroke = (hand: Hand) => Promise<unknown>;

/** Refusals that a writer may meet: another one has just deleted its record. */
const expectedReasons = ['record_unknown', 'target_unknown'];

async function ask({ send, notes }: Hand, method: string, path: string, body?: unknown): Promise<FeedAnswer> {
  notes.requests++;
  const sentMs = performance.now();
  const answer = await send(method, path, body);
  notes.times.set(answer.body.request_id, [sentMs, performance.now()]);
  const refused = answer.status === 404 && expectedReasons.includes(answer.body.reason ?? '');
  if (![200, 201, 207].includes(answer.status) && !refused) {
    notes.findings.push(`${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
  }
  return answer;
}

/** A batch; of an atomic one the results are there only if all of it was done. */
async function batch(hand: Hand, operations: readonly object[], more: object = {}): Promise<readonly ItemJson[]> {
  const { body } = await ask(hand, 'POST', '/batch/', { operations, ...more });
  const results = (body.data as { results: readonly ItemJson[] } | undefined)?.results ?? [];
  for (const { status, problem } of results) {
    if (problem !== undefined && !expectedReasons.includes(problem.reason ?? '')) {
      hand.notes.findings.push(`${JSON.stringify(operations)}: ${status} ${JSON.stringify(problem)}`);
    }
  }
  return results;
}

async function patch(hand: Hand, type: string, id: string, properties: object): Promise<void> {
  const { status, headers } = await ask(hand, 'PATCH', `${recordsOf(type)}${id}/`, { properties });
  if (status === 200) hand.notes.made(id, headers.get('etag'));
}

async function link(hand: Hand, method: 'PUT' | 'DELETE', type: string, id: string, name: string, target: string) {
  const { status, body } = await ask(hand, method, linkPath(type, id, name, target));
  if (status !== 200) return;
  const { changed, stage_timer_id: timer } = body.data as LinkJson;
  if (changed) hand.notes.linking.add(body.request_id);
  if (timer !== undefined) hand.notes.timers.push(timer);
}

const update: Stroke = (hand) => {
  const { random, world } = hand;
  const text = hand.token();
  return random.oneOf(
    () => patch(hand, 'svc_contact', random.pick(world.contacts), { svc_first_name: text }),
    () =>
      patch(hand, 'svc_contact', random.pick(world.contacts), {
        svc_phone_number: random.chance(0.5)
          ? null
          : [{ country_code: 'GB', national_number: String(random.below(900_000)) }],
        svc_lead_score: random.pick(['cold', 'warm', 'hot', null]),
      }),
    () =>
      patch(hand, 'svc_company', random.pick(world.companies), {
        svc_name: text,
        svc_employee_count: random.chance(0.3) ? null : String(random.below(1_000)),
      }),
    () =>
      patch(hand, 'svc_deal', random.pick(world.deals), {
        svc_amount: random.chance(0.2)
          ? null
          : { amount: `${random.below(100)}.50`, unit: random.pick(['USD', 'EUR']) },
      }),
    () => patch(hand, 'svc_note', random.pick(world.notes), { svc_body: text }),
  );
};

const linkOrUnlink: Stroke = (hand) => {
  const { random, world } = hand;
  const method = random.chance(0.6) ? 'PUT' : 'DELETE';
  const [contact, company, deal] = [world.contacts, world.companies, world.deals].map((ids) => random.pick(ids));
  if (contact === undefined || company === undefined || deal === undefined) throw new Error('There are no records.');
  return random.oneOf(
    () => link(hand, method, 'svc_contact', contact, associations.contactCompany, company),
    () => link(hand, method, 'svc_deal', deal, associations.dealContact, contact),
    () => link(hand, method, 'svc_deal', deal, associations.dealCompany, company),
    () => link(hand, method, 'svc_note', random.pick(world.notes), associations.noteContact, contact),
  );
};

const move: Stroke = (hand) => {
  const { random, world } = hand;
  const method = random.chance(0.9) ? 'PUT' : 'DELETE';
  return random.oneOf(
    () =>
      link(hand, method, 'svc_deal', random.pick(world.deals), associations.dealStage, random.pick(world.dealStages)),
    () =>
      link(
        hand,
        method,
        'svc_contact',
        random.pick(world.contacts),
        associations.contactStage,
        random.pick(world.lifecycleStages),
      ),
    () =>
      link(hand, method, 'svc_note', random.pick(world.notes), associations.noteStage, random.pick(world.noteStages)),
  );
};

/** Deletes one of the shared records and restores it; half of the time in one batch with an update. */
const deleteAndRestore: Stroke = async (hand) => {
  const { random, world } = hand;
  const [type, ids] = random.pick([
    ['svc_contact', world.contacts],
    ['svc_company', world.companies],
    ['svc_deal', world.deals],
    ['svc_note', world.notes],
  ] as const);
  const { company, deal } = world.steady;
  const id = random.pick(ids.filter((each) => each !== company && each !== deal));
  if (random.chance(0.3)) {
    const both = ['delete', 'restore'].map((operation) => ({ operation, object_type: type, id }));
    await batch(hand, both, { atomic: random.chance(0.5) });
    return;
  }
  await ask(hand, 'DELETE', `${recordsOf(type)}${id}/`);
  await new Promise((resolve) => {
    setTimeout(resolve, random.below(30));
  });
  const name = type === 'svc_contact' ? 'svc_last_name' : type === 'svc_note' ? 'svc_title' : 'svc_name';
  const renewed = { operation: 'update', object_type: type, id, properties: { [name]: hand.token() } };
  await batch(hand, [{ operation: 'restore', object_type: type, id }, ...(random.chance(0.5) ? [renewed] : [])]);
};

/** One transaction over two records, in the order of `way`. */
const pair =
  (way: 1 | -1): Stroke =>
  async (hand) => {
    const { random, world, notes } = hand;
    const text = hand.token();
    const companies = random.some(world.companies, 2).sort();
    const contact = { operation: 'update', object_type: 'svc_contact', properties: { svc_job_title: text } };
    const company = { operation: 'update', object_type: 'svc_company', properties: { svc_city: text } };
    const operations = random.chance(0.5)
      ? companies.map((id) => ({ ...company, id }))
      : [
          { ...company, id: random.pick(world.companies) },
          { ...contact, id: random.pick(world.contacts) },
        ];
    if (way === -1) operations.reverse();
    const { status, body } = await ask(hand, 'POST', '/batch/', { atomic: true, operations });
    if (status !== 200) return;
    const { results } = body.data as { results: readonly ItemJson[] };
    for (const { id = '', version } of results) notes.made(id, version);
    notes.pairs.set(
      body.request_id,
      results.map(({ id = '' }) => id),
    );
  };

const create: Stroke = async (hand) => {
  const { random, world } = hand;
  const text = hand.token();
  if (random.chance(0.5)) {
    const [deal, contact] = [random.pick(world.deals), random.pick(world.contacts)];
    const note = { properties: { svc_title: text } };
    const associated = [{ association_type: associations.noteContact, target_id: contact }];
    const { status, headers, body } = await ask(hand, 'POST', recordsOf('svc_note'), {
      ...note,
      ...(random.chance(0.5) ? { associations: associated } : {}),
    });
    if (status === 201) hand.notes.made((body.data as { id: string }).id, headers.get('etag'));
    await link(hand, 'PUT', 'svc_deal', deal, associations.dealContact, contact);
    return;
  }
  const made = random.times(random.between(1, 5), (index) => ({
    operation: 'create',
    object_type: 'svc_contact',
    ref: `r${index}`,
    properties: { svc_last_name: `${text} ${index}`, svc_email: [`${text}.${index}@example.com`] },
    associations: [{ association_type: associations.contactCompany, target_id: random.pick(world.companies) }],
  }));
  const deal = {
    operation: 'create',
    object_type: 'svc_deal',
    properties: { svc_name: text },
    associations: [{ association_type: associations.dealContact, target_id: { ref: 'r0' } }],
  };
  const results = await batch(hand, [...made, deal], { atomic: true });
  for (const { id = '', version } of results) hand.notes.made(id, version);
};

/** Two contacts that turn out to be one, with links to them and from them. */
const merge: Stroke = async (hand) => {
  const { random, world } = hand;
  const text = hand.token();
  const contact = (ref: string, properties: object) => ({
    operation: 'create',
    object_type: 'svc_contact',
    ref,
    properties: { svc_email: [`${text}.${ref}@example.com`], ...properties },
    // Of four that are merged, one moves its stage to a record that has none.
    ...(random.chance(0.5)
      ? {
          associations: [
            { association_type: associations.contactStage, target_id: random.pick(world.lifecycleStages) },
          ],
        }
      : {}),
  });
  const [kept, duplicate] = await batch(hand, [
    contact('kept', { svc_last_name: text }),
    contact('duplicate', { svc_first_name: text }),
  ]);
  if (kept?.id === undefined || duplicate?.id === undefined) return;
  const { company, deal } = world.steady;
  await link(hand, 'PUT', 'svc_deal', deal, associations.dealContact, duplicate.id);
  await link(hand, 'PUT', 'svc_contact', duplicate.id, associations.contactCompany, company);
  await batch(hand, [{ operation: 'merge', object_type: 'svc_contact', id: kept.id, duplicate_id: duplicate.id }]);
  const properties = { svc_email: [`${text}.kept@example.com`], svc_headline: text };
  const path = `${recordsOf('svc_contact')}?match=svc_email`;
  const { status, headers } = await ask(hand, 'PUT', path, { properties });
  if (status === 200) hand.notes.made(kept.id, headers.get('etag'));
};

/** The twelve, in the order in which they are dealt out to the services. */
const writers: readonly Stroke[] = [
  update,
  update,
  linkOrUnlink,
  linkOrUnlink,
  move,
  move,
  pair(1),
  pair(-1),
  create,
  create,
  deleteAndRestore,
  merge,
];

/** Runs all writers until `isOver` says so. */
export async function runWriters(hands: (index: number) => Hand, isOver: () => boolean): Promise<void> {
  const run = async (stroke: Stroke, index: number) => {
    const hand = hands(index);
    while (!isOver()) await stroke(hand);
  };
  await Promise.all(writers.map(run));
}
