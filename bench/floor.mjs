// The floor that rows of the benchmark are compared with: bare node:http, one named statement of pg for each request, and
// stored JSON passed through, on plain tables with an index for what is asked. It has no checks, no limits, no log, no words,
// no change feed and no users. records.mjs fills its tables (`fillFloor`), and starts it with the address of the database
// and a key as arguments.
import { randomFillSync } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

const tables = `
  create schema floor;
  create table floor.contact (
    id uuid primary key,
    properties jsonb not null,
    updated_at timestamptz not null default now(),
    email text generated always as (properties -> 'svc_email' ->> 0) stored,
    last_name text generated always as (properties ->> 'svc_last_name') stored,
    lead_score text generated always as (properties ->> 'svc_lead_score') stored);
  create table floor.company (
    id uuid primary key,
    properties jsonb not null,
    updated_at timestamptz not null default now(),
    domain text generated always as (properties ->> 'svc_domain') stored);
  create table floor.deal (
    id uuid primary key,
    properties jsonb not null,
    updated_at timestamptz not null default now(),
    amount numeric generated always as ((properties -> 'svc_amount' ->> 'amount')::numeric) stored);
  create table floor.link (source uuid, kind integer, target uuid, primary key (source, kind, target))`;
const indexes = [
  'contact (email)',
  'contact (last_name)',
  'contact (lead_score)',
  'contact (updated_at)',
  'company (domain)',
  'company (updated_at)',
  'deal (amount, id)',
  'deal (updated_at)',
  'link (target, kind, source)',
];

/** The numbers of the built-in types in our tables. */
export const typeIds = { svc_contact: 1, svc_company: 2, svc_deal: 3 };

/** Copies the records and links of an org. */
export async function fillFloor(database, orgId) {
  await database.query(tables);
  for (const [name, typeId] of Object.entries(typeIds)) {
    await database.query(
      `insert into floor.${name.slice('svc_'.length)} (id, properties)
        select id, properties from orrery.record where org_id = $1 and type_id = $2 order by id`,
      [orgId, typeId],
    );
  }
  await database.query(
    `insert into floor.link select source_id, association_type_id, target_id from orrery.association where org_id = $1`,
    [orgId],
  );
  for (const index of indexes) await database.query(`create index on floor.${index}`);
  await database.query('vacuum analyze');
}

const record = 'id, properties::text as properties';
const statements = {
  get: `select ${record} from floor.contact where id = $1`,
  list: `select ${record} from floor.contact where id > $1 order by id limit 50`,
  email: `select ${record} from floor.contact where email = $1 order by id limit 50`,
  range: `select ${record} from floor.deal where amount between $1 and $2 order by amount, id limit 50`,
  count: 'select lead_score as key, count(*)::integer as count from floor.contact group by lead_score',
  update: `update floor.contact set properties = properties || $2::jsonb, updated_at = now() where id = $1 returning ${record}`,
  create: `insert into floor.contact (id, properties) select * from unnest($1::uuid[], $2::jsonb[])`,
  graph: `with company as (insert into floor.company (id, properties) values ($1, $2)),
      contact as (insert into floor.contact (id, properties) values ($3, $4)),
      deal as (insert into floor.deal (id, properties) values ($5, $6))
    insert into floor.link values ($3, 1, $1), ($5, 2, $1), ($5, 3, $3)`,
};

const recordJson = ({ id, properties }) => `{"id":"${id}","properties":${properties}}`;

/** Answers by method and the first word of the path; the rest of it is the argument. */
function answersOn(pool) {
  const run = async (name, values) => (await pool.query({ name, text: statements[name], values })).rows;
  const page = async (name, values) => `{"data":[${(await run(name, values)).map(recordJson).join()}]}`;
  return {
    'GET contact': async (id) => `{"data":${recordJson((await run('get', [id]))[0])}}`,
    'GET contacts': (after) => page('list', [after]),
    'GET email': (email) => page('email', [decodeURIComponent(email)]),
    'GET range': (bounds) => page('range', bounds.split('-')),
    'GET count': async () => JSON.stringify({ data: await run('count', []) }),
    'PATCH contact': async (id, { properties }) =>
      `{"data":${recordJson((await run('update', [id, JSON.stringify(properties)]))[0])}}`,
    'POST contacts': async (_, list) => {
      const made = list.map((properties) => ({ id: newId(), properties: JSON.stringify(properties) }));
      await run('create', [made.map(({ id }) => id), made.map(({ properties }) => properties)]);
      return `{"data":[${made.map(recordJson).join()}]}`;
    },
    'POST graph': async (_, list) => {
      const made = list.map((properties) => ({ id: newId(), properties: JSON.stringify(properties) }));
      await run(
        'graph',
        made.flatMap(({ id, properties }) => [id, properties]),
      );
      return `{"data":[${made.map(recordJson).join()}]}`;
    },
  };
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

function serve([host, port, key]) {
  const pool = new pg.Pool({ host, port: Number(port), user: 'orrery', database: 'postgres', max: 10, min: 10 });
  const answers = answersOn(pool);
  const keys = new Set([key]);
  const answer = async (request, response) => {
    if (!keys.has(request.headers.authorization?.slice(7))) return send(response, 401, '{}');
    const [, word, argument = ''] = request.url.split('/');
    const body = request.method === 'GET' ? undefined : await jsonOf(request);
    return send(response, 200, await answers[`${request.method} ${word}`](argument, body));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

async function jsonOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function send(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) serve(process.argv.slice(2));
