// The org of 100,000 records that Home is measured in, written over a year by a program whose clock goes from month to month:
// contacts, deals with a contact, their moves, tasks about deals of which all but some of the last two months are done, and calls. A third of
// all deals is closed; most of the others are late, quiet and stuck, which costs more than in an org that is looked after.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { contactOf } from './crm-data.mjs';
import { buildProgram, changeSources, openConnection, root, startService } from './support.mjs';

export const sizes = { svc_contact: 40_000, svc_deal: 30_000, svc_note: 20_000, svc_call: 10_000 };
/** Deals that have moved once. */
export const moves = 10_000;
export const email = 'bench@example.com';

const dayMs = 86_400_000;
const months = 12;
const monthMs = 30 * dayMs;

/** A signal lets a month pass. */
const pastClock = {
  'engine/process/database-clock.ts': {
    pattern: /return Math\.min\(notBehindMs, Math\.ceil\(latestMs \+ sinceMs\)\);/g,
    count: 1,
    replacement: 'return Math.min(notBehindMs, Math.ceil(latestMs + sinceMs)) - globalThis.pastMs;',
    append: `
      globalThis.pastMs = ${(months - 1) * monthMs};
      process.on('SIGUSR2', () => {
        globalThis.pastMs -= ${monthMs};
      });`,
  },
};

/** The folder of the org, and its id and key. A folder that is given is kept, and has the org from the first time on. */
export async function homeOrg(given) {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'orrery-bench-')));
  const note = join(folder, 'home-org.json');
  const kept = await readFile(note, 'utf8').catch(() => undefined);
  if (kept !== undefined) return { folder, ...JSON.parse(kept) };
  const program = join(root, `bench/results/.home-${process.pid}`);
  const service = await startService(folder, await buildProgram(program, [changeSources(pastClock)]));
  try {
    const { orgId, key } = service;
    await service.orrery(
      ...['member', 'create', '--org', String(orgId), '--name', 'Bench', '--email', email],
      ...['--role', 'Administrator'],
    );
    await seed(service);
    await vacuum(service);
    await writeFile(note, JSON.stringify({ orgId, key }));
    return { folder, orgId, key };
  } finally {
    await service.stop();
    await rm(program, { recursive: true, force: true });
  }
}

async function seed({ pid, port, key }) {
  const connection = await openConnection(port);
  const stages = await recordsOf(connection, key, 'svc_deal_pipeline_stage');
  const statuses = await recordsOf(connection, key, 'svc_note_pipeline_stage');
  const done = statuses.find(({ properties }) => properties.svc_closed === true);
  const ids = Object.fromEntries(Object.keys(sizes).map((type) => [type, []]));
  const makers = makersOf(Date.now(), { ids, stages, done });
  for (let month = 0; month < months; month++) {
    if (month > 0) process.kill(pid, 'SIGUSR2');
    for (const [type, make] of Object.entries(makers)) {
      const until = Math.round((sizes[type] * (month + 1)) / months);
      while (ids[type].length < until) {
        const from = ids[type].length;
        const length = Math.min(500, until - from);
        const operations = Array.from({ length }, (_, at) => ({
          operation: 'create',
          object_type: type,
          ...make(from + at),
        }));
        ids[type].push(...(await batch(connection, key, operations)).map(({ id }) => id));
      }
    }
    await move(connection, key, ids.svc_deal, stages, month);
  }
  connection.close();
}

async function recordsOf(connection, key, type) {
  return (await connection.send('GET', `/objects/${type}/records/`, key)).json().data;
}

/** What is new of each type, in the order of its creation. */
function makersOf(now, { ids, stages, done }) {
  const end = (association, type, index) => ({
    association_type: association,
    target_id: ids[type][index % ids[type].length],
  });
  const madeAt = (type, index) => now - (1 - index / sizes[type]) * months * monthMs;
  const textOf = (ms) => new Date(ms).toISOString();
  return {
    svc_contact: (index) => ({ properties: contactOf(index) }),
    svc_deal: (index) => ({
      properties: {
        svc_name: `Deal ${index}`,
        svc_amount: { amount: String(1_000 + ((index * 7_919) % 99_000)), unit: index % 5 === 0 ? 'EUR' : 'USD' },
        svc_close_date: textOf(madeAt('svc_deal', index) + ((index * 37) % 180) * dayMs).slice(0, 10),
      },
      associations: [
        { association_type: 'svc_deal_to_deal_pipeline_stage', target_id: stages[index % stages.length].id },
        end('svc_deal_to_contact', 'svc_contact', index * 11),
      ],
    }),
    svc_note: (index) => {
      const due = madeAt('svc_note', index) + ((index * 13) % 60) * dayMs;
      const isDone = due < now - 60 * dayMs || (due < now && index % 5 !== 0);
      return {
        properties: { svc_title: `Task ${index}`, svc_due_at: textOf(due) },
        associations: [
          end('svc_note_to_deal', 'svc_deal', index * 7),
          ...(isDone ? [{ association_type: 'svc_note_to_note_pipeline_stage', target_id: done.id }] : []),
        ],
      };
    },
    svc_call: (index) => ({
      properties: { svc_subject: `Call ${index}`, svc_started_at: textOf(madeAt('svc_call', index)) },
      associations: [
        end('svc_activity_to_deal', 'svc_deal', index * 3),
        end('svc_activity_to_contact', 'svc_contact', index * 3),
      ],
    }),
  };
}

/** Some of the deals that there are, each to the next stage. */
async function move(connection, key, ids, stages, month) {
  const count = Math.round((moves * (month + 1)) / months) - Math.round((moves * month) / months);
  const operations = Array.from({ length: count }, (_, at) => {
    const index = (at * 97 + month) % ids.length;
    return {
      operation: 'associate',
      object_type: 'svc_deal',
      id: ids[index],
      association_type: 'svc_deal_to_deal_pipeline_stage',
      target_id: stages[(index + month) % stages.length].id,
    };
  });
  for (let from = 0; from < count; from += 500) await batch(connection, key, operations.slice(from, from + 500));
}

async function batch(connection, key, operations) {
  const answer = await connection.send('POST', '/batch/', key, { operations });
  const { data } = answer.json();
  const failed = data.results.find(({ status }) => status >= 300);
  if (failed !== undefined) throw new Error(JSON.stringify(failed));
  return data.results;
}

/** Otherwise autovacuum would begin in the middle of a measurement. */
async function vacuum({ database }) {
  const client = new pg.Client({ ...database, user: 'orrery', database: 'postgres' });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}
