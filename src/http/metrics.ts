// Metrics for the operator, labelled by route template and never by path, so that there are few label values.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { addGauges, type Measured } from './gauges.ts';

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

export function createMetrics(measured: Measured): Metrics {
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
  addGauges(registry, measured);
  return {
    registry,
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    observe: (request, seconds) => requests.observe(request, seconds),
    countLimited: (policy) => limited.inc({ policy }),
  };
}
