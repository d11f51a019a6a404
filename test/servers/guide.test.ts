// The lines of the guide's section "Two servers" do what it says: run in its order on two PostgreSQL servers of this machine,
// while two services write to them. Nothing that was acknowledged is lost.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orreryJson, runOrrery, type ServeProcess, startServe } from '../support/cli.ts';
import { Client } from '../support/client.ts';
import { until } from '../support/eventually.ts';
import { companies } from '../support/records.ts';
import { root } from '../support/repository.ts';
import { type MachineName, type Machines, openMachines } from '../support/servers/machines.ts';
import { programsFolder } from '../support/servers/programs.ts';
import { type Block, blocksIn, exchanged, sectionIn, withoutSection } from '../support/servers/section.ts';

const absent = programsFolder === undefined;
if (absent) process.stderr.write('The lines for two servers are not run: there are no programs of PostgreSQL here.\n');

test('the programs of PostgreSQL are installed if the check is required', () => {
  const required = process.env['SERVERS_CHECK'] === 'required';
  expect(required && absent, 'Install them: apt-get install postgresql').toBe(false);
});

describe.skipIf(absent)('two servers', () => {
  let guide: string;
  let section: string;
  let blocks: readonly Block[];
  let machines: Machines;
  let env: Readonly<Record<string, string>>;
  let key: string;
  const services: ServeProcess[] = [];
  const ran = new Set<string>();
  const acknowledged: string[] = [];
  beforeAll(async () => {
    guide = await readFile(join(root, 'docs/operate.md'), 'utf8');
    section = sectionIn(guide);
    blocks = blocksIn(section);
    machines = await openMachines();
    await makeDatabase();
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    await machines.close();
  });

  /** The database and its user, and what lets doctor see standbys, by the lines of another section. */
  async function makeDatabase(): Promise<void> {
    const rights = guide.split(/^### Rights in the database$/m)[1] ?? '';
    const lines = [...rights.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, text = '']) => text).slice(0, 2);
    await machines.on('db1', `psql <<'END'\n${lines.join('')}END\n`);
    const password = /create role orrery login password '([^']+)'/.exec(lines[0] ?? '')?.[1] ?? '';
    const address = /^DATABASE_URL='(.*)'$/m.exec(section)?.[1] ?? '';
    expect(address).toContain('orrery:…@');
    env = { DATABASE_URL: machines.adapted(address.replace('…', password)) };
  }

  const linesUnder = (heading: string) => {
    const found = blocks.filter((block) => block.heading === heading);
    expect(found, heading).not.toEqual([]);
    return found;
  };
  const standbyLines = () => {
    const [primary, passwords, copy, name] = linesUnder('Make a standby') as [Block, Block, Block, Block];
    return { primary, passwords, copy, name };
  };
  async function run(...lines: readonly Block[]): Promise<void> {
    for (const block of lines) {
      ran.add(block.script);
      await machines.run(block);
    }
  }
  async function runExchanged(...lines: readonly Block[]): Promise<void> {
    for (const block of lines) await machines.run(exchanged(block));
  }
  const ask = async (name: MachineName, query: string) =>
    (await machines.on(name, `psql -At <<'END'\n${query}\nEND\n`)).trim();

  /** What doctor says of standbys. */
  async function doctor(): Promise<string> {
    const { stdout } = await runOrrery(['doctor', '--port', '0'], { env });
    const lines = stdout.split('\n').filter((line) => /^\w+ +(replication|standby)/.test(line));
    return lines.join('\n').replaceAll(/ +/g, ' ');
  }
  const isSynchronous = (primary: MachineName) =>
    until(async () => (await ask(primary, `select sync_state from pg_stat_replication`)) === 'sync');

  const client = (service: ServeProcess | undefined) => new Client(service?.url ?? '', key);
  /** The status of one attempt. */
  async function attempt(service: ServeProcess | undefined, name: string): Promise<number> {
    const { status } = await client(service).raw('POST', `/rest/v1${companies}`, {
      headers: { 'content-type': 'application/json', 'idempotency-key': name },
      body: JSON.stringify({ properties: { svc_name: name } }),
    });
    return status;
  }
  /** As a client does that repeats what was not answered, at each service. While the first attempt still waits, it gets 409. */
  async function write(): Promise<void> {
    for (const service of services) {
      const name = randomUUID();
      await until(async () => {
        const status = await attempt(service, name);
        expect([201, 409, 503]).toContain(status);
        return status === 201;
      });
      acknowledged.push(name);
    }
  }
  async function expectEverything(): Promise<void> {
    for (const service of services) {
      const { body } = await client(service).get(`${companies}?limit=500`);
      const names = (body.data as readonly { properties: { svc_name: string } }[]).map(
        (each) => each.properties.svc_name,
      );
      expect(names.toSorted()).toEqual(acknowledged.toSorted());
    }
  }

  const cursorNow = async (): Promise<string> => {
    const { body } = await client(services[0]).get('/changes/?cursor=latest');
    return body.pagination?.next_cursor ?? '';
  };
  /** The names of the companies whose entries follow a cursor. */
  async function namesAfter(cursor: string): Promise<readonly string[]> {
    const { status, body } = await client(services[0]).get(`/changes/?limit=1000&cursor=${cursor}`);
    expect(status).toBe(200);
    const entries = body.data as readonly { changed: { svc_name?: { new: string } } }[];
    return entries.map(({ changed }) => changed.svc_name?.new ?? '');
  }

  test('a standby is made, and once writes wait for it, nothing acknowledged would be lost', async () => {
    const { primary, passwords, copy, name } = standbyLines();
    await run(primary, passwords, copy);
    const { org_id: org } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme'], { env });
    ({ key } = await orreryJson<{ key: string }>(['key', 'create', '--org', String(org)], { env }));
    expect(await doctor()).toMatch(/db2 \(asynchronous\).* see the guide, "Operate", "Two servers"\.$/);
    await run(name);
    await isSynchronous('db1');
    const said = /^1 standby: .*$/m.exec(section)?.[0] ?? '';
    expect(said).toContain('db2 (synchronous)');
    await expect.poll(doctor).toContain(said);
    for (let count = 0; count < 2; count++) services.push(await startServe([], { env }));
    await write();
    await expectEverything();
  });

  test('while the standby is away writes wait, until they are let go on', async () => {
    await machines.on('db2', 'pg_ctl stop --mode immediate');
    const waiting = write();
    await expect.poll(doctor).toContain('WRONG replication All writes wait for 1 synchronous standby');
    expect(acknowledged).toHaveLength(2);
    await run(...linesUnder('When the standby is away'));
    await waiting;
    await machines.on('db2', 'pg_ctl start --log "$PGDATA.log"');
    await run(standbyLines().name);
    await isSynchronous('db1');
    await expectEverything();
  });

  test('the servers change places and back', async () => {
    const lines = linesUnder('Change places');
    await run(...lines);
    await isSynchronous('db2');
    await write();
    expect(await doctor()).toMatch(/: db1 \(synchronous\).* nothing acknowledged would be lost/);
    await runExchanged(...lines);
    await isSynchronous('db1');
    await write();
    expect(await doctor()).toMatch(/: db2 \(synchronous\).* nothing acknowledged would be lost/);
    await expectEverything();
  });

  test('a lost primary is replaced, and comes back as a standby without the writes that it did not acknowledge', async () => {
    const known = acknowledged.length;
    const cursor = await cursorNow();
    // Once these are acknowledged, the standby has everything that the cursor has seen.
    await write();
    // What only the primary has was not acknowledged, because the standby is away.
    await machines.on('db2', 'pg_ctl stop --mode immediate');
    const lost = attempt(services[0], 'Lost');
    await until(async () => (await ask('db1', `select pid from pg_stat_activity where wait_event = 'SyncRep'`)) !== '');
    await machines.on('db1', 'pg_ctl stop --mode immediate');
    await machines.on('db2', 'pg_ctl start --log "$PGDATA.log"');
    const [promote, ...rewind] = linesUnder('When the primary is lost') as [Block, ...Block[]];
    await run(promote);
    expect(await lost).toBe(503);
    await write();
    expect(await namesAfter(cursor)).toEqual(acknowledged.slice(known));
    await run(...rewind);
    await isSynchronous('db2');
    await write();
    expect(await doctor()).toMatch(/: db1 \(synchronous\).* nothing acknowledged would be lost/);
    await expectEverything();
  });

  test('the next one comes back as a fresh copy', async () => {
    await machines.on('db2', 'pg_ctl stop --mode immediate');
    const [promote] = linesUnder('When the primary is lost') as [Block];
    await runExchanged(promote);
    await write();
    await machines.on('db2', 'mv "$PGDATA" "$PGDATA.former"');
    const { copy, name } = standbyLines();
    await run(copy, name);
    await isSynchronous('db1');
    await write();
    await expectEverything();
  });

  test('each line of the section has been run, and no other page has lines for two machines', () => {
    expect(blocks.map(({ script }) => script).filter((script) => !ran.has(script))).toEqual([]);
    expect(withoutSection(guide)).not.toMatch(/^# On /m);
  });
});
