// A process that opens a data folder and then obeys its standard input, one answer per line. It plays
// the command line beside a running service.
import { createInterface } from 'node:readline';
import pg from 'pg';
import { Failure } from '../../../src/base/failure.ts';
import { type EmbeddedServer, openEmbeddedWith } from '../../../src/store/embedded/embedded.ts';

const [packageFolder = '', dataDir = '', seconds = '', program = ''] = process.argv.slice(2);
let client: pg.Client | undefined;

function answer(value: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function attempt(task: () => Promise<Record<string, unknown>>): Promise<void> {
  try {
    answer(await task());
  } catch (error) {
    if (error instanceof Failure) answer({ kind: error.kind, sentence: error.message, fix: error.fix });
    else answer({ error: String(error) });
  }
}

async function obey(server: EmbeddedServer, command: string): Promise<Record<string, unknown>> {
  switch (command) {
    case 'connect': {
      client = new pg.Client({ ...server.connection, application_name: 'orrery' });
      client.on('error', () => undefined);
      await client.connect();
      const { rows } = await client.query<{ started: string }>('select pg_postmaster_start_time()::text as started');
      return { started: rows[0]?.started };
    }
    case 'disconnect':
      await client?.end();
      return {};
    case 'ensure':
      await server.ensureRunning();
      return {};
    case 'close':
      await server.close();
      return {};
    default:
      return { error: `unknown command ${command}` };
  }
}

let server: EmbeddedServer | undefined;
await attempt(async () => {
  server = await openEmbeddedWith(() => packageFolder, dataDir, { seconds: Number(seconds), program });
  return { origin: server.origin };
});
for await (const command of createInterface({ input: process.stdin })) {
  const opened = server;
  if (opened === undefined) answer({ error: 'The data folder is not open.' });
  else await attempt(() => obey(opened, command));
}
