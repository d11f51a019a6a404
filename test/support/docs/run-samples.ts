// Runs the examples of the reference, as its pages print them, each language in one process: the service is reached through
// a server that notes what each example sends.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../../../src/base/json.ts';
import { root } from '../repository.ts';

export interface Sample {
  readonly title: string;
  readonly code: string;
  readonly key: string;
}

export interface Noted {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json | undefined;
  readonly status: number;
}

export interface NotingServer {
  readonly url: string;
  /** The requests to the API, in order. */
  readonly noted: readonly Noted[];
  stop(): Promise<void>;
}

/** Passes requests on as they are, with the host that they name. */
export async function startNotingServer(target: string): Promise<NotingServer> {
  const noted: Noted[] = [];
  const server = createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked;
    const sent: Buffer[] = [];
    const passed = request(target + url, { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 0, got.headers);
      got.pipe(answer);
      const text = Buffer.concat(sent).toString();
      const body = text === '' ? undefined : (JSON.parse(text) as Json);
      if (url.startsWith('/rest/')) {
        noted.push({ method, url: new URL(url, target), headers, body, status: got.statusCode ?? 0 });
      }
    });
    asked.on('data', (chunk: Buffer) => sent.push(chunk));
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, noted, stop: () => stop(server) };
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

export const runners = { sh: runShell, js: runJavascript, python: runPython } as const;

async function runShell(samples: readonly Sample[]): Promise<void> {
  const steps = samples.map(({ code, key }) => `export ORRERY_KEY=${key}\n${code}\n`);
  await inFolder((folder) =>
    run('bash', ['-c', `set -eu\ncurl() { command curl -sS -o /dev/null "$@"; }\n${steps.join('')}`], folder),
  );
}

async function runJavascript(samples: readonly Sample[]): Promise<void> {
  await inFolder(async (folder) => {
    await mkdir(join(folder, 'node_modules/@orrery'), { recursive: true });
    await symlink(join(root, 'dist/client'), join(folder, 'node_modules/@orrery/client'));
    const files = await writeSamples(folder, samples, 'mjs');
    const steps = files.map(
      ({ file, key }) =>
        `process.env.ORRERY_KEY = '${key}'; await import('${file}'); if (printed !== ++count) fail('${file}');`,
    );
    const program = `let count = 0, printed = 0; console.log = () => { printed += 1; };
      const fail = (file) => { throw new Error(file + ' has printed nothing.'); };\n${steps.join('\n')}`;
    await run(process.execPath, ['--input-type=module', '--eval', program], folder);
  });
}

async function runPython(samples: readonly Sample[]): Promise<void> {
  await inFolder(async (folder) => {
    const files = await writeSamples(folder, samples, 'py');
    const steps = files.map(({ file, key }) => `run(${JSON.stringify(file)}, "${key}")`);
    const program = `import os, sys
try:
    import requests
except ImportError:
    sys.path.append(${JSON.stringify(join(root, 'test/support/docs'))})
def run(file, key):
    os.environ["ORRERY_KEY"] = key
    with open(file) as source:
        exec(compile(source.read(), file, "exec"), {})
${steps.join('\n')}`;
    await run('python3', ['-B', '-c', program], folder);
  });
}

export async function hasPython(): Promise<boolean> {
  return promisify(execFile)('python3', ['--version']).then(
    () => true,
    () => false,
  );
}

async function writeSamples(folder: string, samples: readonly Sample[], extension: string) {
  return Promise.all(
    samples.map(async ({ title, code, key }) => {
      const file = join(folder, `${title.replaceAll(/[^A-Za-z_]+/g, '-')}.${extension}`);
      await writeFile(file, `${code}\n`);
      return { file, key };
    }),
  );
}

async function inFolder(work: (folder: string) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-samples-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(command: string, args: readonly string[], folder: string): Promise<void> {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, PYTHONIOENCODING: 'utf-8', PYTHONUTF8: '1' };
  await promisify(execFile)(command, args, { cwd: folder, env, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 });
}
