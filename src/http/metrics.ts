// Metrics for the operator, labelled by route template and never by path, so that there are few label values.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { bounds } from '../base/limits.ts';
import type { Engine } from '../engine/process/engine.ts';

type StoringOrg = Awaited<ReturnType<Engine['storage']['fullest']>>[number];

interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

export interface Metrics {
  readonly registry: Registry;
  /** The metrics in the text format of Prometheus. */
  print(): Promise<{ readonly type: string; readonly text: string }>;
  observe(request: RequestLabels, seconds: number): void;
  countLimited(policy: string): void;
}

type Measured = Pick<Engine, 'gauge' | 'bytes' | 'feedWaits' | 'storage'>;

export function createMetrics({ gauge, bytes, feedWaits, storage }: Measured): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'orrery_http_request_duration_seconds',
    help: 'Time from the headers of a request to its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const limited = new Counter({
    name: 'orrery_rate_limited_total',
    help: 'Requests refused by a rate limit.',
    labelNames: ['policy'],
    registers: [registry],
  });
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
    name: 'orrery_bytes_in_flight',
    help: 'Bytes of bodies that are being received or handled, and of answers that have not been read yet.',
    registers: [registry],
    collect() {
      this.set(bytes.inFlight());
    },
  });
  new Gauge({
    name: 'orrery_waiting_requests',
    help: 'Requests that wait: for a connection, the lane of long statements, or a record, all used by their org; or for changes.',
    labelNames: ['for'],
    registers: [registry],
    collect() {
      const { waiting, inLane, forRecords } = gauge();
      this.set({ for: 'connection' }, waiting);
      this.set({ for: 'lane' }, inLane);
      this.set({ for: 'record' }, forRecords);
      this.set({ for: 'changes' }, feedWaits.count());
    },
  });
  addStorageGauges(registry, storage);
  return {
    registry,
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    observe: (request, seconds) => requests.observe(request, seconds),
    countLimited: (policy) => limited.inc({ policy }),
  };
}

/**
 * What orgs store: only the fullest ones, so that the number of lines is bounded. All processes read the same rows, so
 * their numbers must not be added up.
 */
function addStorageGauges(registry: Registry, storage: Pick<Engine['storage'], 'fullest'>): void {
  const gauge = (name: string, help: string, read: (org: StoringOrg) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['org'],
      registers: [registry],
      aggregator: 'max',
      async collect() {
        this.reset();
        for (const org of await storage.fullest()) {
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
