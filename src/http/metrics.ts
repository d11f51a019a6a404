// Numbers for the operator, by route template and never by path, so that labels stay few.
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { Engine } from '../engine/process/engine.ts';
import { RequestDurations } from './request-durations.ts';

export interface Metrics {
  readonly registry: Registry;
  /** The text that a scraper reads. */
  print(): Promise<{ readonly type: string; readonly text: string }>;
  observe(method: string, route: string, status: number, seconds: number): void;
  countLimited(policy: string): void;
}

export function createMetrics(pool: Engine['gauge']): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new RequestDurations();
  registry.registerMetric(requests as unknown as Metric);
  const limited = new Counter({
    name: 'orrery_rate_limited_total',
    help: 'Requests that were refused by a rate limit.',
    labelNames: ['policy'],
    registers: [registry],
  });
  new Gauge({
    name: 'orrery_database_connections',
    help: 'Connections of the pool, by state; "waiting" counts requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = pool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  return {
    registry,
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    observe: (method, route, status, seconds) => requests.observe(method, route, status, seconds),
    countLimited: (policy) => limited.inc({ policy }),
  };
}
