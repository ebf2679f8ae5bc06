/** A metric of a Prometheus registry, as prom-client reads it out. */
export interface MetricValues {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    /** For histograms: the name with `_bucket`, `_sum` or `_count`. */
    readonly metricName?: string;
  }[];
}

export type ReadMetrics = () => Promise<readonly MetricValues[]>;
