import type { MetricValues } from '@hortus/tracing/metric-values';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Values of some part of the service, read when metrics are collected. */
export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  /** Name of its label, if it has one. */
  readonly label?: string;
  /** Returns the value, or the value of each label. Undefined leaves the gauge out, such as while the database is down. */
  read(): GaugeValues | undefined | Promise<GaugeValues | undefined>;
}

export type GaugeValues = number | ReadonlyMap<string, number>;

/** Counts requests of the hot path, where a labelled counter would be too slow; collected on demand. */
export interface Tally {
  count: number;
}

interface Tallied extends Tally {
  readonly endpoint: string;
  readonly status: number;
  /** Undefined for requests that no handler answered. */
  times: Histogram.Internal<(typeof labelNames)[number]> | undefined;
}

export interface Metrics {
  /** Records a request that a handler answered, with the name of its row of the contract. */
  observe(endpoint: string, status: number, seconds: number): void;
  /** Returns the tally of an endpoint and status, always the same object. */
  tally(endpoint: string, status: number): Tally;
  /** Records the time of a statement outside of transactions, or of a whole transaction with its commit. */
  observeDatabase(operation: DatabaseOperation, seconds: number): void;
  add(gauge: GaugeSource): void;
  readonly contentType: string;
  text(): Promise<string>;
  /** The same values as data. */
  values(): Promise<readonly MetricValues[]>;
}

type DatabaseOperation = 'read' | 'write';

const labelNames = ['endpoint', 'status'] as const;

export function openMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  // Gauges with the suffix of counters, which promtool refuses: sums over the `type` of gauges that are exported as well.
  for (const kind of ['handles', 'requests', 'resources']) register.removeSingleMetric(`nodejs_active_${kind}_total`);
  const tallies = new Map<string, Tallied>();
  new Counter({
    name: 'hortus_http_requests_total',
    help: 'Requests answered, by endpoint and status.',
    labelNames,
    registers,
    collect() {
      for (const tally of tallies.values()) {
        this.inc({ endpoint: tally.endpoint, status: tally.status }, tally.count);
        tally.count = 0;
      }
    },
  });
  const requests = new Histogram({
    name: 'hortus_http_request_seconds',
    help: 'Time from the arrival of a request to the end of its answer, for requests answered by a handler.',
    labelNames,
    registers,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const database = new Histogram({
    name: 'hortus_database_seconds',
    help: 'Time of statements outside of transactions (read), and of transactions with their commit (write).',
    labelNames: ['operation'],
    registers,
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  // Shown from the start, before the first operation.
  for (const operation of ['read', 'write'] as const) database.zero({ operation });
  const operations = { read: database.labels('read'), write: database.labels('write') };
  const tally = (endpoint: string, status: number): Tallied => {
    const key = `${endpoint} ${status}`;
    let known = tallies.get(key);
    if (!known) {
      known = { endpoint, status, count: 0, times: undefined };
      tallies.set(key, known);
    }
    return known;
  };
  return {
    observe(endpoint, status, seconds) {
      const tallied = tally(endpoint, status);
      tallied.count++;
      tallied.times ??= requests.labels({ endpoint, status });
      tallied.times.observe(seconds);
    },
    tally,
    observeDatabase: (operation, seconds) => operations[operation].observe(seconds),
    add: (source) => addGauge(register, source),
    contentType: register.contentType,
    text: () => register.metrics(),
    values: () => register.getMetricsAsJSON(),
  };
}

function addGauge(register: Registry, { name, help, label, read }: GaugeSource): void {
  const labelNames = label === undefined ? [] : [label];
  new Gauge({
    name,
    help,
    labelNames,
    registers: [register],
    async collect() {
      const values = await read();
      // Of labels that are gone, no old value stays.
      if (label === undefined) this.remove();
      else this.reset();
      if (typeof values === 'number') this.set(values);
      else for (const [value, count] of values ?? []) this.set({ [label ?? '']: value }, count);
    },
  });
}
