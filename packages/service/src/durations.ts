import type { Metric, Registry } from 'prom-client';

/** Times of one combination of labels. */
class Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Observations per bucket; the last is for those above all bounds. */
  readonly counts: number[];
  readonly #bounds: readonly number[];
  sum = 0;

  constructor(labels: Series['labels'], bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(seconds: number): void {
    const above = this.#bounds.findIndex((bound) => seconds <= bound);
    const bucket = above < 0 ? this.#bounds.length : above;
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.sum += seconds;
  }
}

export interface DurationsOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[];
}

/**
 * A histogram of times. That of prom-client checks and hashes the labels of each observation, which takes longer than a query; here
 * callers keep the series of their labels.
 */
export class Durations {
  readonly #options: DurationsOptions;
  readonly #series: Series[] = [];

  constructor(options: DurationsOptions, register: Registry) {
    this.#options = options;
    const { name, help } = options;
    const described = { name, help, type: 'histogram', aggregator: 'sum' } as const;
    const get = async () => ({ ...described, values: this.#values() });
    register.registerMetric({ ...described, get } as unknown as Metric);
  }

  series(labels: Series['labels']): Series {
    const series = new Series(labels, this.#options.buckets);
    this.#series.push(series);
    return series;
  }

  #values() {
    const { name, buckets } = this.#options;
    return this.#series.flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const bucketValues = [...buckets, '+Inf'].map((le, place) => {
        total += counts[place] as number;
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
      });
      return [
        ...bucketValues,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: total },
      ];
    });
  }
}
