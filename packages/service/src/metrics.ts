import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A value of some part of the service, read when metrics are collected. */
export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  read(): number | Promise<number>;
}

/** Counts requests of the hot path, where a labelled counter would be too slow; collected on demand. */
export interface Tally {
  count: number;
}

export interface Metrics {
  /** Records a request that a handler answered, with the name of its row of the contract. */
  observe(endpoint: string, status: number, seconds: number): void;
  /** Returns the tally of an endpoint and status, always the same object. */
  tally(endpoint: string, status: number): Tally;
  readonly contentType: string;
  text(): Promise<string>;
}

const labelNames = ['endpoint', 'status'] as const;

export function openMetrics(gauges: readonly GaugeSource[] = []): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const tallies = new Map<string, Tally & { readonly endpoint: string; readonly status: number }>();
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
  const durations = new Histogram({
    name: 'hortus_http_request_seconds',
    help: 'Time from the arrival of a request to the end of its answer, for requests answered by a handler.',
    labelNames,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  for (const { name, help, read } of gauges) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  }
  const tally = (endpoint: string, status: number): Tally => {
    const key = `${endpoint} ${status}`;
    let known = tallies.get(key);
    if (!known) {
      known = { endpoint, status, count: 0 };
      tallies.set(key, known);
    }
    return known;
  };
  return {
    observe(endpoint, status, seconds) {
      tally(endpoint, status).count++;
      durations.observe({ endpoint, status }, seconds);
    },
    tally,
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
