// Every command line of the documents is run, so that none of them lies. What starts a service runs beside the rest;
// what builds or tests is what runs this test.
import { execFile } from 'node:child_process';
import { readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createFolder, createStorage, orreryJson, startServe } from './support/cli.ts';
import { root } from './support/sources.ts';

const run = promisify(execFile);

/** The npm lines: `.ci/run` runs the first two, and with them the scripts of the others. */
const npmLines = ['npm ci', 'npm start', 'npm test', 'npm run check', 'npm run build', 'npm run bench', 'npm run soak'];

async function shellBlocks(name: string): Promise<readonly string[]> {
  const text = await readFile(join(root, name), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
}

test('the shell lines of the README do what they say', async () => {
  const storage = await createStorage();
  const folder = await createFolder();
  const service = await startServe([], { env: storage.env });
  try {
    await symlink(join(root, 'bin'), join(folder, 'bin'));
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...storage.env };
    let key = '';
    let ran = 0;
    for (const block of await shellBlocks('README.md')) {
      if (block.startsWith('npm ')) continue;
      // The service runs already, on a port that is free here.
      const script = block
        .replace(/^bin\/orrery serve\n/m, '')
        .replaceAll('http://127.0.0.1:4610', service.url)
        .replaceAll(/^curl /gm, 'curl --fail --silent --show-error ');
      await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env: { ...env, ORRERY_KEY: key } });
      ran++;
      if (key === '') key = (await orreryJson<{ key: string }>(['key', 'create', '--org', '1', ...storage.args])).key;
    }
    expect(ran).toBeGreaterThanOrEqual(4);
  } finally {
    await service.stop();
    await storage.remove();
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);

test('every npm line of the documents is a script, and the first screen is the two that matter', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['README.md', 'CONTRIBUTING.md', 'bench/README.md']) {
    const text = await readFile(join(root, name), 'utf8');
    for (const [line] of text.matchAll(/npm (?:run )?[a-z]+/g)) {
      expect(npmLines, `${name}: ${line}`).toContain(line);
      const script = line.replace(/^npm (run )?/, '');
      if (script !== 'ci') expect(Object.keys(scripts), `${name}: ${line}`).toContain(script);
    }
  }
  const [first = ''] = await shellBlocks('README.md');
  expect(first).toMatch(/^npm ci && npm start .*\nnpm ci && npm test .*\n$/);
  const ci = await readFile(join(root, '.ci/run'), 'utf8');
  expect(ci).toMatch(/\nnpm ci\nnpm test\n$/);
});
