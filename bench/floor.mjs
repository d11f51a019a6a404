// The floor that record operations are compared with: bare node:http, one named statement of pg, stored JSON passed
// through, and a key that is looked up in a Map. It has no checks, no limits and no log. records.mjs starts it with the
// address of the database and the key as arguments.

import { randomFillSync } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const [host, port, orgId, key] = process.argv.slice(2);
const pool = new pg.Pool({ host, port: Number(port), user: 'orrery', database: 'postgres', max: 10, min: 10 });
const callers = new Map([[key, Number(orgId)]]);
const typeId = 1;

const get = {
  name: 'floor_get',
  text: `select id, version, properties::text as properties from orrery.record
    where org_id = $1 and type_id = $2 and id = $3`,
};
const list = {
  name: 'floor_list',
  text: `select id, version, properties::text as properties from orrery.record
    where org_id = $1 and type_id = $2 and id > $3 order by id limit 51`,
};
const create = {
  name: 'floor_create',
  text: `insert into orrery.bench_record (org_id, type_id, id, version, updated_at, org_visible, properties)
    values ($1, $2, $3, 1, now(), true, $4)`,
};

const recordJson = (row) =>
  `{"id":"${row.id}","object_type":"svc_contact","version":"${row.version}","properties":${row.properties}}`;

const server = createServer((request, response) => void answer(request, response));

async function answer(request, response) {
  const org = callers.get(request.headers.authorization?.slice(7));
  if (org === undefined) return send(response, 401, '{}');
  const [, path, argument] = request.url.split('/');
  if (path === 'get') {
    const { rows } = await pool.query({ ...get, values: [org, typeId, argument] });
    return send(response, 200, `{"data":${recordJson(rows[0])}}`);
  }
  if (path === 'list') {
    const { rows } = await pool.query({ ...list, values: [org, typeId, argument] });
    return send(response, 200, `{"data":[${rows.slice(0, 50).map(recordJson).join(',')}]}`);
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { properties } = JSON.parse(Buffer.concat(chunks).toString());
  const text = JSON.stringify(properties);
  const id = newId();
  await pool.query({ ...create, values: [org, typeId, id, text] });
  return send(response, 201, `{"data":${recordJson({ id, version: 1, properties: text })}}`);
}

function send(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

const bytes = Buffer.alloc(16);
/** Ids in order of time, as the service makes them: the place of a row in the index is part of its cost. */
function newId() {
  randomFillSync(bytes, 6);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

process.on('SIGINT', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
