// What administration costs: the first request after a change of the schema, in an org of 100 types with 50 properties each,
// beside the same request before it; and a query over 100,000 entries of the audit beside the same one over as many contacts.
// Prints the numbers, writes them to bench/results/administration.json, and fails if a target is missed.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machine, median, root, startService } from './support.mjs';

const targets = { reload_ms: 20, audit: 1.25 };
const types = 100;
const properties = 50;
const entries = Number(process.env.BENCH_ENTRIES ?? 100_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 40);

const service = await startService();
try {
  const { key } = await service.orrery('key', 'create', '--org', String(service.orgId), '--admin');
  const send = sender(service.url, key);
  const result = {
    ...machine(),
    targets,
    schema: await measureReload(send),
    audit: await measureAudit(send),
  };
  result.missed = [
    ...(result.schema.reload_ms > targets.reload_ms ? [`a reload takes ${result.schema.reload_ms} ms`] : []),
    ...(result.audit.ratio > targets.audit ? [`a query of the audit takes ${result.audit.ratio} times as long`] : []),
  ];
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(root, 'bench/results/administration.json'), `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  await service.stop();
}

function sender(url, key) {
  return async (method, path, body) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const started = performance.now();
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${url}/rest/v1${path}`, { method, headers, ...sent });
    const text = await response.text();
    const ms = performance.now() - started;
    if (response.status >= 300) throw new Error(text);
    return { ms, data: JSON.parse(text).data };
  };
}

/** How much longer the first request after a change of the schema takes than the one before. */
async function measureReload(send) {
  const file = join(tmpdir(), `orrery-bench-schema-${process.pid}.json`);
  const property = (index) => ({ name: `p${index}`, label: `Property ${index}`, field_type: 'text' });
  const object_types = Array.from({ length: types }, (_, index) => ({
    name: `type_${index}`,
    label: `Type ${index}`,
    properties: Array.from({ length: properties }, (_, at) => property(at)),
  }));
  await writeFile(file, JSON.stringify({ object_types }));
  await service.orrery('schema', 'apply', '--org', String(service.orgId), file);
  const filter = { property: 'svc_name', operator: 'eq', value: 'type_7' };
  const { data } = await send('POST', '/objects/svc_object_type/records/query/', { filter });
  const path = `/objects/svc_object_type/records/${data[0].id}/`;
  const [usual, after, changes] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    usual.push((await send('GET', '/objects/type_7/')).ms);
    changes.push((await send('PATCH', path, { properties: { svc_label: `Label ${round}` } })).ms);
    after.push((await send('GET', '/objects/type_7/')).ms);
  }
  return {
    types,
    properties,
    usual_ms: rounded(median(usual)),
    change_ms: rounded(median(changes)),
    after_ms: rounded(median(after)),
    reload_ms: rounded(median(after) - median(usual)),
  };
}

async function measureAudit(send) {
  const batch = async (operations) => (await send('POST', '/batch/', { operations })).data.results;
  const roles = await batch(
    Array.from({ length: 1_000 }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_role',
      properties: { svc_name: `Role ${index}`, svc_reach: 'org', svc_grants: ['svc_deal:read'] },
    })),
  );
  for (let done = 1_000; done < entries; done += 1_000) {
    const rename = ({ id }, index) => ({
      operation: 'update',
      object_type: 'svc_role',
      id,
      properties: { svc_name: `Role ${done + index}` },
    });
    await batch(roles.map(rename));
  }
  for (let done = 0; done < entries; done += 1_000) {
    await batch(
      Array.from({ length: 1_000 }, (_, index) => ({
        operation: 'create',
        object_type: 'svc_contact',
        properties: { svc_last_name: `Contact ${done + index}`, svc_job_title: index < 10 ? 'Pilot' : 'Sailor' },
      })),
    );
  }
  const query = (type, property, value) => () =>
    send('POST', `/objects/${type}/records/query/`, {
      filter: { property, operator: 'eq', value },
      sort: [{ property: 'svc_created_at', direction: 'desc' }],
      limit: 50,
    });
  const sides = {
    audit: query('svc_audit_entry', 'svc_action', 'role.changed'),
    contacts: query('svc_contact', 'svc_job_title', 'Sailor'),
  };
  const times = { audit: [], contacts: [] };
  for (let round = 0; round < rounds + 10; round++) {
    for (const [name, ask] of Object.entries(sides)) {
      const { ms } = await ask();
      // The first ones wait for indexes that are being built.
      if (round >= 10) times[name].push(ms);
    }
  }
  const [audit, contacts] = [median(times.audit), median(times.contacts)];
  return { entries, audit_ms: rounded(audit), contacts_ms: rounded(contacts), ratio: rounded(audit / contacts) };
}

function rounded(value) {
  return Math.round(value * 100) / 100;
}
