// The Postman collection in newman, twice: each run succeeds, and leaves the org with the records that it had.
import assert from 'node:assert/strict';
import { promisify } from 'node:util';
import newman from 'newman';

const types = ['svc_contact', 'svc_company', 'svc_deal'];

export async function postman(demo) {
  const response = await fetch(`${demo.origin}/docs/postman.json`);
  const collection = await response.json();
  const requests = collection.item.flatMap(({ item }) => item).length;
  const before = await countsOf(demo);
  for (const attempt of ['first', 'second']) {
    const { run } = await promisify(newman.run)({ collection, envVar: [{ key: 'key', value: demo.key }] });
    const failures = run.failures.map(({ source, error }) => `${source?.name}: ${error.message}`);
    assert.deepEqual(failures, [], `the ${attempt} run`);
    assert.deepEqual([run.stats.requests.total, run.stats.assertions.total], [requests, requests]);
  }
  assert.deepEqual(await countsOf(demo), before, 'records are left over');
  return `${requests} requests, run twice`;
}

async function countsOf({ apiUrl, key }) {
  const counts = types.map(async (type) => {
    const response = await fetch(`${apiUrl}/objects/${type}/records/aggregate/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ aggregations: [{ function: 'count' }] }),
    });
    const { data } = await response.json();
    return `${type}: ${data[0].values.count}`;
  });
  return Promise.all(counts);
}
