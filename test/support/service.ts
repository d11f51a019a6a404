// A service for one test: the real engine and the real HTTP server in this process, on a free port and a database of
// its own (or one that is given, to have two services on one database).
import { Writable } from 'node:stream';
import type { Reach } from '../../src/access/caller.ts';
import { fullGrant, type Grant } from '../../src/access/grant.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { orgPolicyDefault } from '../../src/base/limits.ts';
import { applySchemaFile } from '../../src/engine/admin/apply-schema.ts';
import { type IssuedKey, issueKey } from '../../src/engine/admin/keys.ts';
import { createMember } from '../../src/engine/admin/members.ts';
import { createOrg } from '../../src/engine/admin/orgs.ts';
import { openDatabaseClock } from '../../src/engine/process/database-clock.ts';
import { openEngine } from '../../src/engine/process/engine.ts';
import type { HttpSettings } from '../../src/http/context.ts';
import { openLog } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { type ServerOptions, startServer } from '../../src/http/server.ts';
import type { Database } from '../../src/store/database.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { Client } from './client.ts';
import { createMigratedDatabase } from './database.ts';

export interface ServiceOptions {
  /** The address of a database to share with another service. */
  readonly databaseUrl?: string;
  readonly settings?: Partial<HttpSettings>;
  /** The clock of the engine, instead of the database's. */
  readonly clock?: Clock;
  /** The clock of the process, beside which the engine has the database's. */
  readonly processClock?: Clock;
  /** How long the change feed is kept. */
  readonly changesSeconds?: number;
  readonly timeouts?: ServerOptions['timeouts'];
  /** How long a new index waits before it is filled. */
  readonly indexGraceMs?: number;
  /** Puts something between engine and database, such as a spy on statements. */
  readonly adapt?: (database: Database) => Database;
}

export interface TestService {
  /** Such as http://127.0.0.1:41234. */
  readonly url: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly database: Database;
  /** Every line that the service has logged. */
  readonly logLines: readonly string[];
  /** How many requests wait for changes. */
  waitingRequests(): number;
  /** A client with the key; without one it sends none. */
  client(key?: string): Client;
  createOrg(limits?: OrgLimits): Promise<number>;
  createUser(orgId: number): Promise<string>;
  createKey(orgId: number, more?: KeyOptions): Promise<IssuedKey>;
  /** A client of a new org, with a key that may do everything by default. */
  newClient(more?: KeyOptions): Promise<Client>;
  applySchema(orgId: number, file: unknown): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

interface OrgLimits {
  readonly quota: number;
  readonly windowSeconds: number;
  readonly storageQuota?: number | null;
}

interface KeyOptions {
  readonly grants?: readonly Grant[];
  readonly userId?: string;
  readonly reach?: Reach;
  readonly name?: string;
  readonly expiresAt?: Date;
}

export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const own = options.databaseUrl === undefined ? await createMigratedDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? own?.url ?? '';
  const database = await openMigrated({ engine: 'server', url: databaseUrl });
  const logLines: string[] = [];
  const { engine, server } = await serve(options, database, logLines);
  const url = `http://127.0.0.1:${server.port}`;
  const administration = administer(database);
  const client = (key?: string) => new Client(url, key);
  return {
    url,
    port: server.port,
    databaseUrl,
    database,
    logLines,
    waitingRequests: () => engine.feedWaits.count(),
    client,
    ...administration,
    newClient: async (more) => {
      const { key } = await administration.createKey(await administration.createOrg(), more);
      return client(key);
    },
    drain: () => server.drain(),
    stop: async () => {
      await server.drain();
      await engine.close();
      await database.close();
      await own?.drop();
    },
  };
}

/** An engine and a server as the program opens them, with a log that the test can read. */
async function serve(options: ServiceOptions, database: Database, logLines: string[]) {
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      logLines.push(chunk.toString());
      done();
    },
  });
  const adapted = options.adapt?.(database) ?? database;
  const onFault = (error: unknown) => logLines.push(String(error));
  const { indexGraceMs, changesSeconds, processClock = systemClock } = options;
  const engineOptions = {
    ...(indexGraceMs === undefined ? {} : { graceMs: indexGraceMs }),
    ...(changesSeconds === undefined ? {} : { changesSeconds }),
  };
  const engine = openEngine(adapted, onFault, engineOptions, options.clock ?? openDatabaseClock(processClock));
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    engine,
    log: openLog('info', sink),
    metrics: createMetrics({ ...engine, release: '0.0.0-test' }),
    settings: {
      release: '0.0.0-test',
      publicUrl: undefined,
      corsOrigins: new Set(),
      deprecation: undefined,
      ...options.settings,
    },
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
  });
  return { engine, server };
}

/** Administration, as an operator does it on the command line. */
function administer(database: Database): Pick<TestService, 'createOrg' | 'createUser' | 'createKey' | 'applySchema'> {
  return {
    createOrg: ({ quota, windowSeconds, storageQuota = null }: OrgLimits = orgPolicyDefault) =>
      createOrg(database, {
        name: 'Test',
        currency: 'USD',
        rateQuota: quota,
        rateWindowSeconds: windowSeconds,
        storageQuota,
      }),
    createUser: (orgId) => createMember(database, { orgId, name: 'Ada', email: null }),
    createKey: (orgId, more = {}) =>
      issueKey(database, {
        orgId,
        name: more.name ?? 'test',
        userId: more.userId ?? null,
        reach: more.reach ?? 'org',
        grants: more.grants ?? [fullGrant],
        expiresAt: more.expiresAt ?? null,
      }),
    applySchema: async (orgId, file) => {
      const { faults } = await applySchemaFile(database, orgId, file);
      if (faults.length > 0) throw new Error(JSON.stringify(faults));
    },
  };
}
