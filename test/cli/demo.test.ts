import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createStorage, type ServeProcess, startServe } from '../support/cli.ts';

const run = promisify(execFile);

test('the first start prints addresses, a key and a request that works; the second one finds them again', async () => {
  const storage = await createStorage();
  const started: ServeProcess[] = [];
  try {
    const first = await startServe(storage.args, {}, 'demo');
    started.push(first);
    let screen = '';
    first.child.stdout?.on('data', (chunk: Buffer) => {
      screen += chunk.toString();
    });
    await expect.poll(() => screen).toContain('Ctrl-C');
    expect(screen).toMatch(/^Orrery [0-9.]+ · PostgreSQL [0-9.]+ .+ · ready in [0-9.]+ s\n/);
    expect(screen).toContain(`${first.url}/rest/v1/`);
    const key = /svc_live_[0-9A-Za-z_]+/.exec(screen)?.[0] ?? '';
    const line = /^ +Try +(curl .+)$/m.exec(screen)?.[1] ?? '';
    const { stdout } = await run('sh', ['-c', `${line} -sf`]);
    expect(JSON.parse(stdout).data.map((type: { name: string }) => type.name)).toContain('svc_contact');
    if (storage.folder !== undefined) {
      const file = join(storage.folder, 'demo.env');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readFile(file, 'utf8')).toBe(`ORRERY_URL=${first.url}\nORRERY_KEY=${key}\n`);
    }
    await first.stop();

    const second = await startServe(storage.args, {}, 'demo');
    started.push(second);
    let again = '';
    second.child.stdout?.on('data', (chunk: Buffer) => {
      again += chunk.toString();
    });
    await expect.poll(() => again).toContain('Ctrl-C');
    expect(again).toContain('as on the first start');
    expect(again).not.toContain('svc_live_');
    const self = await fetch(`${second.url}/rest/v1/self/`, { headers: { authorization: `Bearer ${key}` } });
    expect(self.status).toBe(200);
    await second.stop();
  } finally {
    // Whatever failed above, nothing is left running.
    for (const service of started) await service.stop();
    await storage.remove();
  }
}, 60_000);
