// Attacks on the one thread: bodies that take long to parse, to check or to answer, within their size.
import { type Attack, ask, besiege, type NoisyWorld, scaled } from './attack.ts';

const batchBytes = 8_388_608 - 1_024;
const bodyBytes = 1_048_576 - 1_024;

/** The same request by a few clients, again and again. */
function repeat(name: string, clients: number, cost: number, request: (world: NoisyWorld) => Buffer): Attack {
  return {
    name,
    arm: (world) => {
      const bytes = request(world);
      return (until) => besiege(world, { clients, cost, next: () => bytes }, until);
    },
  };
}

const batch = ({ keys }: NoisyWorld, body: string) => ask(keys.full, 'POST', '/batch/', body);

const createItem = (properties: string) =>
  `{"operation":"create","object_type":"svc_contact","properties":{${properties}}}`;

const nestedArrays = repeat('nested arrays', 1, 1, (world) => {
  const depth = scaled(world, batchBytes / 2);
  return batch(world, `{"operations":[${'['.repeat(depth)}${']'.repeat(depth)}]}`);
});

const emptyObjects = repeat('empty objects', 1, 1, (world) => {
  const objects = '{},'.repeat(scaled(world, batchBytes / 3)).slice(0, -1);
  return batch(world, `{"operations":[${createItem(`"svc_last_name":[${objects}]`)}]}`);
});

/** As many items as `items`, each with as many unknown members. */
function unknownNames(world: NoisyWorld, items: number, members: number): string {
  const names = Array.from({ length: members }, (_, index) => `"n${index}":1`).join();
  return `{"operations":[${Array.from({ length: scaled(world, items) }, () => createItem(names)).join()}]}`;
}

const unknownMembers = repeat('unknown members in each item', 1, 16, (world) =>
  batch(world, unknownNames(world, 800, 800)),
);

const unknownMembersOfOne = repeat('unknown members of one record', 2, 1, ({ keys, scale }) => {
  const names = Array.from({ length: 90_000 / scale }, (_, index) => `"n${index}":1`).join();
  return ask(keys.full, 'POST', '/objects/svc_contact/records/', `{"properties":{${names}}}`);
});

/** Faults of values rather than of names. */
const faultyValues = repeat('faulty values in each item', 1, 20, (world) => {
  const emails = Array.from({ length: 90 }, (_, index) => `"not an address ${index}"`).join();
  const items = Array.from({ length: scaled(world, 1_000) }, () => createItem(`"svc_email":[${emails}]`));
  return batch(world, `{"operations":[${items.join()}]}`);
});

const honestLargeBatches = repeat('honest batches of 8 MiB', 2, 200, (world) => {
  const text = 'an honest sentence about a customer '.repeat(225);
  const items = Array.from({ length: scaled(world, 1_000) }, () =>
    createItem(`"svc_last_name":"Honest","svc_summary":"${text}"`),
  );
  return batch(world, `{"operations":[${items.join()}]}`);
});

const honestSmallBatches = repeat('honest batches of 1,000 small records', 4, 20, (world) => {
  const items = Array.from({ length: scaled(world, 1_000) }, (_, index) =>
    createItem(`"svc_last_name":"Small ${index}","svc_job_title":"Job ${index % 10}"`),
  );
  return batch(world, `{"operations":[${items.join()}]}`);
});

/** Words are indexed one by one. */
const manyWords = repeat('texts of many words', 2, 1, (world) => {
  const words = Array.from({ length: scaled(world, 15_000) }, (_, index) => (index * 7_919).toString(36)).join(' ');
  return batch(
    world,
    `{"operations":[${Array.from({ length: 20 }, () => createItem(`"svc_summary":"${words.slice(0, 65_000)}"`)).join()}]}`,
  );
});

const deepFilter = repeat('deeply nested filters', 2, 1, ({ keys, scale }) => {
  const depth = Math.floor(bodyBytes / 14 / scale);
  const filter = `${'{"not":'.repeat(depth)}{"property":"id","operator":"is_set"}${'}'.repeat(depth)}`;
  return ask(keys.readOnly, 'POST', '/objects/svc_contact/records/query/', `{"filter":${filter}}`);
});

const wideFilter = repeat('filters of very many conditions', 2, 1, ({ keys, scale }) => {
  const condition = '{"property":"no_such_name","operator":"eq","value":"x"},';
  const conditions = condition.repeat(Math.floor(bodyBytes / condition.length / scale)).slice(0, -1);
  return ask(keys.readOnly, 'POST', '/objects/svc_contact/records/query/', `{"filter":{"or":[${conditions}]}}`);
});

const escapes = repeat('texts of escapes only', 2, 1, (world) => {
  const text = '\\u00e9'.repeat(scaled(world, batchBytes / 6));
  return batch(world, `{"operations":[${createItem(`"svc_last_name":"${text}"`)}]}`);
});

/** The end of a long string is hard to find, and is looked for at each level. */
const deepTexts = repeat('deep texts of escaped quotes', 2, 1, (world) => {
  const levels = 900;
  const text = '\\"'.repeat(scaled(world, (batchBytes - 4_000) / 2));
  return batch(world, `{"operations":${'['.repeat(levels)}"${text}"${']'.repeat(levels)}}`);
});

const longNames = repeat('names of escapes only', 2, 1, (world) => {
  const name = '\\u00e9'.repeat(scaled(world, (batchBytes - 4_000) / 6));
  return batch(world, `{"operations":[${createItem(`"${name}":"x"`)}]}`);
});

const repeatedMembers = repeat('one member again and again', 1, 1, (world) => {
  const members = '"a":1,'.repeat(scaled(world, batchBytes / 6)).slice(0, -1);
  return batch(world, `{"operations":[{${members}}]}`);
});

const longNumbers = repeat('numbers of a million digits', 2, 1, (world) => {
  const number = '7'.repeat(scaled(world, 1_000_000));
  return batch(world, `{"operations":[${Array.from({ length: 8 }, () => number).join()}]}`);
});

const manyParameters = repeat('thousands of parameters', 4, 1, ({ keys }) => {
  const query = Array.from({ length: 1_600 }, (_, index) => `p${index}`).join('&');
  return ask(keys.readOnly, 'GET', `/objects/svc_contact/records/?${query.slice(0, 8_000)}`);
});

export const threadAttacks: readonly Attack[] = [
  nestedArrays,
  emptyObjects,
  unknownMembers,
  unknownMembersOfOne,
  faultyValues,
  honestLargeBatches,
  honestSmallBatches,
  manyWords,
  deepFilter,
  wideFilter,
  escapes,
  deepTexts,
  longNames,
  repeatedMembers,
  longNumbers,
  manyParameters,
];
