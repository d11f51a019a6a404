// How long requests took, as a histogram that the registry of metrics prints. The library's own checks and hashes every
// label at every request, which costs more than all else that is done for a request's log and headers together.

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const name = 'orrery_http_request_duration_seconds';

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
  /** One count for each bound, and one for all that took longer. */
  readonly counts: number[];
  sum: number;
}

export class RequestDurations {
  readonly name = name;
  readonly help = 'Time from the headers of a request to its answer.';
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  /** By what makes a series one: labels are few, because routes are templates and methods those of the table. */
  readonly #series = new Map<string, Series>();

  observe(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels: { method, route, status }, counts: [...bounds, 0].fill(0), sum: 0 };
      this.#series.set(key, series);
    }
    const index = bounds.findIndex((bound) => seconds <= bound);
    const slot = index < 0 ? bounds.length : index;
    series.counts[slot] = (series.counts[slot] ?? 0) + 1;
    series.sum += seconds;
  }

  /** What the registry asks for: buckets that add up, then the sum and the count of each series. */
  get() {
    const values = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = counts.map((count, index) => {
        total += count;
        const le = index < bounds.length ? (bounds[index] ?? 0) : '+Inf';
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total, exemplar: null };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: total },
      ];
    });
    return { name: this.name, help: this.help, type: this.type, aggregator: this.aggregator, values };
  }

  reset(): void {
    this.#series.clear();
  }
}
