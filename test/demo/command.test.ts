// orrery demo as a newcomer uses it: the first start, killed once on the way, its screen, and later starts.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepAddress, keepKeys } from '../../src/cli/demo/env-file.ts';
import { firstScreen, plain, type Screen } from '../../src/cli/demo/first-screen.ts';
import {
  createFolder,
  createStorage,
  ended,
  runOrrery,
  type ServeProcess,
  type Storage,
  spawnOrrery,
  startServe,
} from '../support/cli.ts';
import { root } from '../support/repository.ts';
import { Person } from '../support/sign-in/person.ts';

const run = promisify(execFile);
let storage: Storage;
const started: ServeProcess[] = [];
beforeAll(async () => {
  storage = await createStorage();
});
afterAll(async () => {
  // Nothing is left running, even if a test fails.
  for (const service of started) await service.stop();
  await storage.remove();
});

/** Starts it and waits for its output. */
async function start(
  ...more: readonly string[]
): Promise<{ readonly service: ServeProcess; readonly printed: string }> {
  const service = await startServe([...storage.args, ...more], {}, 'demo');
  started.push(service);
  let printed = '';
  service.child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await expect.poll(() => printed).toMatch(/Ctrl-C|\}\n$/);
  return { service, printed };
}

/** The line of that name on the screen. */
function line(screen: string, name: string): string {
  return new RegExp(`^ +${name} +(.+)$`, 'm').exec(screen)?.[1] ?? '';
}

async function pasted(command: string): Promise<string> {
  return (await run('sh', ['-c', command], { cwd: root, env: { ...process.env, ...storage.env } })).stdout;
}

/** The link of the console signs an administrator in. */
async function opens(url: string, text: string): Promise<void> {
  const token = new RegExp(`^${url}/console/#link=(\\w+)`).exec(text)?.[1] ?? '';
  expect((await new Person(url).open(token)).body.data).toMatchObject({ role: 'Administrator' });
}

test('a killed first start leaves nothing behind: the next one starts over, and later ones find the org', async () => {
  const killed = spawnOrrery(['demo', '--port', '0', ...storage.args]);
  const log = join(storage.folder ?? '', 'postgres.log');
  await expect
    .poll(() => (storage.folder === undefined ? 'ready to accept' : readFile(log, 'utf8').catch(() => '')), {
      interval: 20,
    })
    .toContain('ready to accept');
  killed.kill('SIGKILL');
  await ended(killed);

  const { service: first, printed: screen } = await start();
  expect(screen).toMatch(/^Orrery [0-9.]+ · PostgreSQL [0-9.]+ .+ · ready in [0-9.]+ s\n/);
  expect(line(screen, 'Demo')).toMatch(/^org \d+ with 26 companies, 120 contacts, 48 deals, .+ history$/);
  expect(line(screen, 'API')).toBe(`${first.url}/rest/v1/`);
  expect(line(screen, 'Docs')).toBe(`${first.url}/docs/`);
  expect(screen, 'no colours but on a terminal').not.toContain('\u001b');
  await opens(first.url, line(screen, 'Console'));
  const [key = '', limited = ''] = ['Key', 'Limited'].map((name) => /^svc_live_\w+/.exec(line(screen, name))?.[0]);
  const answer = JSON.parse(await pasted(`${line(screen, 'Try')} -sf`)) as { data: { object_type: string }[] };
  expect(answer.data.map(({ object_type }) => object_type)).toEqual(['svc_deal', 'svc_deal', 'svc_deal']);
  // The address of a server is shown without its password.
  const next = line(screen, 'Next').replace(/ --database-url \S+/, '');
  const exported = await pasted(next.replace('bin/orrery', `${process.execPath} bin/orrery`));
  expect(exported.split('\n').length).toBeGreaterThan(48);
  if (storage.folder !== undefined) {
    const file = join(storage.folder, 'demo.env');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const lines = [`ORRERY_URL=${first.url}`, `ORRERY_KEY=${key}`, `DEMO_LIMITED_KEY=${limited}`];
    expect(await readFile(file, 'utf8')).toBe(lines.map((each) => `export ${each}\n`).join(''));
    // A program that the shell starts has them too.
    const environment = await pasted(`${line(screen, 'Shell')}\nenv`);
    for (const each of lines) expect(environment.split('\n')).toContain(each);
    expect((await readdir(storage.folder)).filter((name) => name.includes('partial'))).toEqual([]);
  }
  const { port } = new URL(first.url);
  const refused = await runOrrery(['demo', '--port', port, '--data-dir', join(storage.folder ?? '/tmp', 'another')]);
  expect({ status: refused.status, stdout: refused.stdout }).toEqual({ status: 9, stdout: '' });
  expect(refused.stderr).toMatch(`Orrery is already running at ${first.url}. Use that one, or choose another port`);
  await first.stop();
  if (storage.folder !== undefined) {
    // An address that nothing answers at is not named; the keys stay.
    const text = await readFile(join(storage.folder, 'demo.env'), 'utf8');
    expect(text).toBe(`export ORRERY_KEY=${key}\nexport DEMO_LIMITED_KEY=${limited}\n`);
  }

  const { service: second, printed: json } = await start('--json');
  const value = JSON.parse(json) as Readonly<Record<string, unknown>>;
  expect(value).toMatchObject({
    org_id: Number(/^org (\d+)/.exec(line(screen, 'Demo'))?.[1]),
    made: {},
    api_url: `${second.url}/rest/v1/`,
    docs_url: `${second.url}/docs/`,
  });
  expect(json).not.toContain('svc_live_');
  await opens(second.url, String(value['console_url']));
  if (storage.folder !== undefined) {
    expect(await readFile(String(value['key_file']), 'utf8')).toContain(
      `export ORRERY_URL=${second.url}\nexport ORRERY_KEY=${key}\n`,
    );
  }
  const self = await fetch(`${second.url}/rest/v1/self/`, { headers: { authorization: `Bearer ${key}` } });
  expect(self.status).toBe(200);
  if (storage.folder !== undefined) {
    // A third beside it, on another port, is named while it runs.
    const named = async () => /^export ORRERY_URL=(.*)$/m.exec(await readFile(String(value['key_file']), 'utf8'))?.[1];
    const { service: third } = await start();
    expect(await named()).toBe(third.url);
    await third.stop();
    expect(await named()).toBe(second.url);
  }
  await second.stop();
});

test('a demo that ends leaves the address of one that took over, and names none that does not answer', async () => {
  const folder = await createFolder();
  try {
    const file = join(folder, 'demo.env');
    const keys = 'export ORRERY_KEY=svc_live_1\nexport DEMO_LIMITED_KEY=svc_live_2\n';
    expect(await keepAddress(file, 'http://127.0.0.1:1')).toBeUndefined();
    await keepKeys(file, { full: 'svc_live_1', limited: 'svc_live_2' });
    expect(await readFile(file, 'utf8')).toBe(keys);
    const first = await keepAddress(file, 'http://127.0.0.1:1');
    const second = await keepAddress(file, 'http://[::1]:2');
    await first?.withdraw();
    expect(await readFile(file, 'utf8')).toBe(`export ORRERY_URL=http://[::1]:2\n${keys}`);
    await second?.withdraw();
    expect(await readFile(file, 'utf8')).toBe(keys);
    // Earlier releases did not export them.
    await writeFile(file, 'ORRERY_URL=http://127.0.0.1:3\nORRERY_KEY=svc_live_1\nDEMO_LIMITED_KEY=svc_live_2\n');
    const renewed = await keepAddress(file, 'http://127.0.0.1:4');
    expect(await readFile(file, 'utf8')).toBe(`export ORRERY_URL=http://127.0.0.1:4\n${keys}`);
    await renewed?.withdraw();
    expect(await readFile(file, 'utf8')).toBe(keys);
    // The file is a person's to delete.
    const third = await keepAddress(file, 'https://crm.example.com');
    await rm(file);
    await third?.withdraw();
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('simultaneous starts do not corrupt the file of the keys', async () => {
  const folder = await createFolder();
  try {
    const file = join(folder, 'demo.env');
    await keepKeys(file, { full: 'svc_live_1', limited: 'svc_live_2' });
    const urls = Array.from({ length: 8 }, (_, index) => `http://127.0.0.1:${index + 2}`);
    const kept = await Promise.all(urls.map((url) => keepAddress(file, url)));
    expect(kept.every((each) => each !== undefined)).toBe(true);
    const text = await readFile(file, 'utf8');
    expect(
      urls.map((url) => `export ORRERY_URL=${url}\nexport ORRERY_KEY=svc_live_1\nexport DEMO_LIMITED_KEY=svc_live_2\n`),
    ).toContain(text);
    expect(await readdir(folder)).toEqual(['demo.env']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const screenOfLater: Screen = {
  facts: { engine: 'embedded', version: '18.4', place: "/data/it's here", origin: 'started', transport: 'local' },
  url: 'http://127.0.0.1:4610',
  console: { url: 'http://127.0.0.1:4610/console/#link=l00000010SF8b_token', signsIn: true },
  readySeconds: '0.8',
  orgId: 7,
  demo: undefined,
  keyFile: "/data/it's here/demo.env",
  databaseFlags: '',
};

test('a later start says that nothing was created, where the key is, and a command that reads it', () => {
  const screen = firstScreen(screenOfLater, plain);
  expect(line(screen, 'Found')).toBe('existing data; nothing created');
  expect(line(screen, 'Key')).toBe("same as on the first start, in /data/it's here/demo.env");
  expect(line(screen, 'Try')).toMatch(
    /^\. '\/data\/it'\\''s here\/demo\.env' && curl -H "Authorization: Bearer \$ORRERY_KEY" /,
  );
  const databaseFlags = ' --data-dir ./data';
  expect(line(screen, 'Shell')).toBe(". '/data/it'\\''s here/demo.env'  # sets ORRERY_URL and ORRERY_KEY");
  const without = firstScreen({ ...screenOfLater, keyFile: undefined, databaseFlags }, plain);
  expect(line(without, 'Key')).toBe('create one with bin/orrery key create --org 7 --data-dir ./data');
  expect(line(without, 'Next')).toBe('bin/orrery export --org 7 --type svc_deal --data-dir ./data');
});
