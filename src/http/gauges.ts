// What the metrics show of the present state: of this process, which is measured while it is asked for, and of the database,
// which is asked seldom. If it does not answer, its metrics are missing, and the others are not.
import { Gauge, type Registry } from 'prom-client';
import { within } from '../base/clock.ts';
import { bounds } from '../base/limits.ts';
import type { Engine } from '../engine/process/engine.ts';
import { shared } from './shared-answer.ts';

export interface Measured
  extends Pick<Engine, 'gauge' | 'bytes' | 'feedWaits' | 'feedWatch' | 'storage' | 'figures' | 'clock' | 'onFault'> {
  readonly release: string;
}

type StoringOrg = Awaited<ReturnType<Engine['storage']['fullest']>>[number];

interface Shown {
  readonly name: string;
  readonly help: string;
  /** For a figure that all processes share, and for the worst one of all: numbers of several processes are added otherwise. */
  readonly aggregator?: 'max';
}

export function addGauges(registry: Registry, measured: Measured): void {
  addBuild(registry, measured.release);
  addLoad(registry, measured);
  addFeed(registry, measured);
  addDatabase(registry, measured);
  addStorage(registry, measured.storage);
}

function addBuild(registry: Registry, release: string): void {
  new Gauge({
    name: 'orrery_build_info',
    help: 'The release of the program; the value is always 1.',
    labelNames: ['release'],
    registers: [registry],
    aggregator: 'first',
    collect() {
      this.set({ release }, 1);
    },
  });
}

function addLoad(registry: Registry, { gauge, bytes }: Measured): void {
  new Gauge({
    name: 'orrery_database_connections',
    help: 'Connections of the pool by state; "waiting" counts requests that wait for a connection.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = gauge();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Gauge({
    name: 'orrery_waiting_requests',
    help: 'Requests that wait: for a connection, the lane of long statements, or a record, all used by their org.',
    labelNames: ['for'],
    registers: [registry],
    collect() {
      const { waiting, inLane, forRecords } = gauge();
      this.set({ for: 'connection' }, waiting);
      this.set({ for: 'lane' }, inLane);
      this.set({ for: 'record' }, forRecords);
    },
  });
  new Gauge({
    name: 'orrery_lane_work',
    help: 'Work on the database that runs or waits, by lane: reads, writes, and scans, which read many records.',
    labelNames: ['lane', 'state'],
    registers: [registry],
    collect() {
      for (const [lane, { running, waiting }] of Object.entries(gauge().lanes)) {
        this.set({ lane, state: 'running' }, running);
        this.set({ lane, state: 'waiting' }, waiting);
      }
    },
  });
  addNumber(
    registry,
    {
      name: 'orrery_bytes_in_flight',
      help: 'Bytes of bodies that are being received or handled, and of answers that have not been read yet.',
    },
    () => bytes.inFlight(),
  );
}

function addFeed(registry: Registry, { feedWaits, feedWatch }: Measured): void {
  addNumber(registry, { name: 'orrery_long_polls', help: 'Requests that wait for changes.' }, () => feedWaits.count());
  addNumber(
    registry,
    {
      name: 'orrery_feed_lag_seconds',
      help: 'How long the oldest change has waited to be shown to requests that wait for changes; 0 if none does.',
      aggregator: 'max',
    },
    () => feedWatch.lagMs() / 1_000,
  );
}

function addDatabase(registry: Registry, { figures, clock, onFault }: Measured): void {
  const ask = shared(clock, bounds.http.figuresKeptMs, () =>
    figures().catch((error: unknown) => {
      onFault(error);
      return undefined;
    }),
  );
  addNumber(
    registry,
    { name: 'orrery_database_size_bytes', help: 'Bytes of the database on disk.', aggregator: 'max' },
    async () => (await inTime(ask()))?.bytes,
  );
  addNumber(
    registry,
    {
      name: 'orrery_backup_age_seconds',
      help: 'The age of the data in the last backup; missing if no backup is known.',
      aggregator: 'max',
    },
    async () => {
      const savedAt = (await inTime(ask()))?.savedAt;
      return savedAt === undefined ? undefined : Math.max(0, clock.nowMs() - Date.parse(savedAt)) / 1_000;
    },
  );
}

/** A gauge without labels, which is missing while its number is not known. */
function addNumber(
  registry: Registry,
  shown: Shown,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  new Gauge({
    ...shown,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

/**
 * What orgs store: only the fullest ones, so that the number of lines is bounded. All processes read the same rows, so
 * their numbers must not be added up.
 */
function addStorage(registry: Registry, storage: Pick<Engine['storage'], 'fullest'>): void {
  const gauge = (name: string, help: string, read: (org: StoringOrg) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['org'],
      registers: [registry],
      aggregator: 'max',
      async collect() {
        const orgs = (await inTime(storage.fullest())) ?? [];
        this.reset();
        for (const org of orgs) {
          const value = read(org);
          if (value !== null) this.set({ org: String(org.orgId) }, value);
        }
      },
    });
  const which = `(the ${bounds.shares.storageShown} fullest orgs)`;
  gauge('orrery_org_storage_bytes', `Bytes that an org stores, estimated ${which}.`, ({ bytes }) => bytes);
  gauge(
    'orrery_org_storage_quota_bytes',
    `Bytes that an org may store, if it has a quota ${which}.`,
    (org) => org.quota,
  );
}

/** A scrape does not wait long for the database. */
function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  return within(bounds.http.metricsWaitMs, answer);
}
