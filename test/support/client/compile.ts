// Runs the TypeScript compiler on text, beside the sources of the client.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../repository.ts';

const options = {
  target: 'es2022',
  lib: ['es2023', 'dom'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  paths: { '@orrery/client': [join(root, 'client/main.ts')] },
};

/** The compiler's messages about the files; empty if there are none. */
export async function compile(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-types-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    return await run(['-p', folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(join(root, 'node_modules/.bin/tsc'), args, { cwd: root }, (error, stdout, stderr) => {
      if (error !== null && stdout === '') reject(new Error(`${error.message} ${stderr}`));
      else resolve(stdout);
    });
  });
}
