// What a dashboard asks for, in orgs with 100,000 and 1,000,000 deals, compared with plain SQL on typed columns in the same
// database, both over HTTP on one connection, by turns: the median of each, their ratio, and whether both say the same.
// Prints the numbers, writes them to bench/results/dashboards.json, and fails if a target is missed.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { machine, median, openConnection, root, startService } from './support.mjs';

const sizes = (process.env.BENCH_DEALS ?? '100000,1000000').split(',').map(Number);
const timers = 100_000;
const rounds = Number(process.env.BENCH_ROUNDS ?? 15);
/** At the first size at least as fast as the floor; at the last none takes longer than this. */
const targets = { ratio: 1, ms: 400 };
const start = Date.UTC(2026, 0, 1);

const service = await startService();
const pool = new pg.Pool({ ...service.database, user: 'orrery', database: 'postgres', max: 4 });
const connection = await openConnection(service.port);
try {
  const result = { ...machine(), rounds, timers, targets, sizes: {} };
  for (const size of sizes) result.sizes[size] = await measure(size);
  result.missed = missed(result);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (process.env.BENCH_DEALS === undefined) {
    await writeFile(join(root, 'bench/results/dashboards.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  connection.close();
  await pool.end();
  await service.stop();
}

async function measure(size) {
  const { orgId, key } = await service.newOrg(`Org of ${size}`);
  const stages = (await connection.send('GET', '/objects/svc_deal_pipeline_stage/records/', key)).json().data;
  await seed(orgId, size, stages);
  const floor = await startFloor();
  try {
    const rows = {};
    for (const [name, question] of Object.entries(questions(stages))) {
      rows[name] = await compare(key, question, floor.port, name);
    }
    return rows;
  } finally {
    floor.close();
  }
}

/** Each question as our request, as SQL, and as how an answer of ours becomes rows of that SQL. */
function questions(stages) {
  const stage = 'svc_deal_to_deal_pipeline_stage';
  const won = stages.filter(({ properties }) => properties.svc_probability === '100').map(({ id }) => id);
  const sum = { function: 'sum', property: 'svc_amount', as: 'total' };
  const amount = (values) => Number(values.total?.[0]?.amount ?? 0);
  return {
    'deals by stage, sum of amounts': {
      path: '/objects/svc_deal/records/aggregate/',
      body: { group_by: [{ association: stage }], aggregations: [{ function: 'count' }, sum] },
      sql: 'select stage_id as key, count(*) as n, sum(amount) as total from floor.deal group by stage_id',
      row: ({ key: [end], values }) => [end?.id ?? null, Number(values.count), amount(values)],
    },
    'won per month': {
      path: '/objects/svc_deal/records/aggregate/',
      body: {
        filter: {
          association: stage,
          operator: 'exists',
          filter: { property: 'svc_probability', operator: 'eq', value: '100' },
        },
        group_by: [{ property: 'svc_close_date', granularity: 'month' }],
        aggregations: [{ function: 'count' }, sum],
      },
      sql: `select to_char(date_trunc('month', close_date), 'YYYY-MM-DD') as key, count(*) as n, sum(amount) as total
        from floor.deal where stage_id in (${won.map((id) => `'${id}'`).join()}) group by 1`,
      row: ({ key: [month], values }) => [month, Number(values.count), amount(values)],
    },
    'time in each stage': {
      path: '/objects/svc_stage_timer/records/aggregate/',
      body: {
        group_by: [{ association: 'svc_stage_timer_to_deal_pipeline_stage' }],
        aggregations: [{ function: 'count' }, { function: 'avg', property: 'svc_duration_seconds', as: 'seconds' }],
      },
      sql: 'select stage_id as key, count(*) as n, round(avg(seconds)) as total from floor.timer group by stage_id',
      row: ({ key: [end], values }) => [end?.id ?? null, Number(values.count), Math.round(Number(values.seconds))],
    },
    'count by stage of what closes in a quarter': {
      path: '/objects/svc_deal/records/aggregate/',
      body: {
        filter: { property: 'svc_close_date', operator: 'between', value: ['2026-04-01', '2026-06-30'] },
        group_by: [{ association: stage }],
        aggregations: [{ function: 'count' }],
      },
      sql: `select stage_id as key, count(*) as n, 0 as total from floor.deal
        where close_date between '2026-04-01' and '2026-06-30' group by stage_id`,
      row: ({ key: [end], values }) => [end?.id ?? null, Number(values.count), 0],
    },
    'the ten companies with the most deals': {
      path: '/objects/svc_deal/records/aggregate/',
      body: {
        group_by: [{ association: 'svc_deal_to_company' }],
        aggregations: [{ function: 'count' }],
        sort: [{ as: 'count', direction: 'desc' }],
        limit: 10,
      },
      sql: `select company_id as key, count(*) as n, 0 as total from floor.deal
        group by company_id order by n desc, company_id limit 10`,
      row: ({ key: [end], values }) => [end?.id ?? null, Number(values.count), 0],
    },
    // Values of properties can be counted once each, but not the other ends of links: so the companies are counted.
    'distinct companies of all deals': {
      path: '/objects/svc_company/records/aggregate/',
      body: {
        filter: { association: 'svc_deal_to_company', operator: 'exists' },
        aggregations: [{ function: 'count' }],
      },
      sql: 'select null as key, count(distinct company_id) as n, 0 as total from floor.deal',
      row: ({ values }) => [null, Number(values.count), 0],
    },
  };
}

async function compare(key, { path, body, row, sql }, port, name) {
  const times = { ours: [], floor: [] };
  let answers = {};
  for (let round = -2; round < rounds; round++) {
    const ours = await connection.send('POST', path, key, body);
    const theirs = await ask(port, sql);
    if (round >= 0) {
      times.ours.push(ours.ms);
      times.floor.push(theirs.ms);
    }
    answers = {
      ours: ours.json().data.map(row),
      floor: theirs.rows.map(({ key: group, n, total }) => [group, Number(n), Number(total)]),
    };
  }
  const sorted = (rows) =>
    JSON.stringify([...rows].sort((left, right) => (String(left[0]) < String(right[0]) ? -1 : 1)));
  if (sorted(answers.ours) !== sorted(answers.floor)) {
    throw new Error(`${name}: ours ${sorted(answers.ours)}, floor ${sorted(answers.floor)}`);
  }
  const [ours, floor] = [median(times.ours), median(times.floor)];
  return { ours_ms: rounded(ours), floor_ms: rounded(floor), ratio: rounded(floor / ours, 2) };
}

/** Bare node:http and pg: the body of a request is its statement. */
async function startFloor() {
  const answer = async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { rows } = await pool.query(text);
    response.end(JSON.stringify(rows));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => server.close() };
}

async function ask(port, sql) {
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: sql });
  const rows = await response.json();
  return { ms: performance.now() - began, rows };
}

/**
 * Writes records, links, facts and the index that is asked as the service would, and the same into the tables of the floor. What the service answers
 * is compared with the floor, so a row that it would not have written is noticed.
 */
async function seed(orgId, size, stages) {
  const id = (kind, i) =>
    `(lpad(to_hex(${start}::bigint + ${i}), 12, '0') || '7${kind}008000' || lpad(to_hex(${i}), 12, '0'))::uuid`;
  const stage = (i) => `('{${stages.map((each) => each.id).join()}}'::uuid[])[1 + ${i} % ${stages.length}]`;
  const companies = Math.max(1, size / 10);
  const at = `to_timestamp((${start}::bigint + i) / 1000.0)`;
  const iso = (time) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const dates = `'svc_created_at', ${iso(at)}, 'svc_updated_at', ${iso(at)}`;
  const amount = `round(((i::bigint * 7919) % 1000003) / 10.0, 2)`;
  const day = `(date '2026-01-01' + (i % 700)::integer)`;
  const seconds = `((i * 31) % 900000)`;
  const left = `(${at} + interval '1 second' * ${seconds})`;
  const record = (type, kind, values, count) => `
    insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties)
    select ${orgId}, ${type}, ${id(kind, 'i')}, 1, ${at}, true, jsonb_build_object(${values}, ${dates})
    from generate_series(1, ${count}) as i`;
  const link = (type, kind, association, targetType, target, count) => `
    insert into orrery.association
      (org_id, source_id, association_type_id, target_id, source_type_id, target_type_id, created_at)
    select ${orgId}, ${id(kind, 'i')}, ${association}, ${target}, ${type}, ${targetType}, ${at}
    from generate_series(1, ${count}) as i`;
  const company = id('2', `(1 + i % ${companies})`);
  const deal = id('3', `(1 + i % ${size})`);
  const statements = [
    'create schema if not exists floor',
    'drop table if exists floor.deal, floor.timer',
    record(2, '2', `'svc_name', 'Company ' || i`, companies),
    `insert into orrery.fact (org_id, type_id, id, org_visible, d1)
      select ${orgId}, 2, ${id('2', 'i')}, true, ${at} from generate_series(1, ${companies}) as i`,
    record(
      3,
      '3',
      `'svc_name', 'Deal ' || i, 'svc_close_date', ${day}, 'svc_amount', jsonb_build_object('amount', ${amount}::text, 'unit', 'EUR')`,
      size,
    ),
    link(3, '3', 2, 2, company, size),
    link(3, '3', 4, 6, stage('i'), size),
    `insert into orrery.fact (org_id, type_id, id, org_visible, n1, s1, e1, d1, u1, u2)
      select ${orgId}, 3, ${id('3', 'i')}, true, ${amount}, 'EUR', ${day}, ${at}, ${company}, ${stage('i')}
      from generate_series(1, ${size}) as i`,
    `insert into orrery.index_time (org_id, type_id, property_id, unset, value, record_id)
      select ${orgId}, 3, 5, false, ${day}, ${id('3', 'i')} from generate_series(1, ${size}) as i`,
    record(10, '4', `'svc_duration_seconds', ${seconds}::text, 'svc_left_at', ${iso(left)}`, timers),
    link(10, '4', 24, 3, deal, timers),
    link(10, '4', 27, 6, stage('i'), timers),
    `insert into orrery.fact (org_id, type_id, id, org_visible, n1, d1, d3, u1, u4)
      select ${orgId}, 10, ${id('4', 'i')}, true, ${seconds}, ${at}, ${left}, ${deal}, ${stage('i')}
      from generate_series(1, ${timers}) as i`,
    `create table floor.deal as select ${id('3', 'i')} as id, 'Deal ' || i as name, ${amount} as amount, 'EUR' as unit,
      ${day} as close_date, ${company} as company_id, ${stage('i')} as stage_id, ${at} as created_at, ${at} as updated_at
      from generate_series(1, ${size}) as i`,
    `create table floor.timer as select ${id('4', 'i')} as id, ${deal} as deal_id, ${stage('i')} as stage_id,
      ${seconds}::numeric as seconds, ${at} as entered_at, ${left} as left_at from generate_series(1, ${timers}) as i`,
    'alter table floor.deal add primary key (id)',
    'create index on floor.deal (stage_id)',
    'create index on floor.deal (company_id)',
    'vacuum analyze',
  ];
  for (const statement of statements) await pool.query(statement);
}

function missed({ sizes: all }) {
  const [first, last] = [Object.values(all)[0] ?? {}, Object.values(all).at(-1) ?? {}];
  return [
    ...Object.entries(first)
      .filter(([, { ratio }]) => ratio < targets.ratio)
      .map(([name, { ratio }]) => `${name}: ${ratio} of the floor, expected at least ${targets.ratio}`),
    ...Object.entries(last)
      .filter(([, { ours_ms: ms }]) => ms > targets.ms)
      .map(([name, { ours_ms: ms }]) => `${name}: ${ms} ms, expected at most ${targets.ms}`),
  ];
}

function rounded(value, digits = 1) {
  return Number(value.toFixed(digits));
}
