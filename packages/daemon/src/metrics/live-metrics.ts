import { METRICS_EVERY_MS, type MetricsMessage } from '@hortus/contract/channel/streams';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import type { ServeStream, Stream } from '../streams/stream.ts';
import type { CapacityMeter } from './capacity.ts';
import type { HostTraffic } from './host-traffic.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface Meters {
  capacity: Pick<CapacityMeter, 'read'>;
  usage: Pick<UsageMeter, 'read'>;
  traffic: Pick<HostTraffic, 'read'>;
}

export interface LiveMetricsOptions {
  /** Creates meters of their own: rates cover the time between two calls, and the reporter calls its meters too. */
  meters(): Meters;
  log: Log;
  everyMs?: number;
}

/** Measures the server and its containers while a replica of the service watches, once for all replicas that do. */
export class LiveMetrics {
  readonly #options: LiveMetricsOptions;
  readonly #streams = new Set<Stream>();
  #regular: NodeJS.Timeout | undefined;
  #measuring = false;

  constructor(options: LiveMetricsOptions) {
    this.#options = options;
  }

  /** Sends readings until the stream ends. */
  readonly serve: ServeStream = async (stream) => {
    const { log } = this.#options;
    const ended = new Promise<void>((done) => {
      const over = () => done();
      stream.signal.addEventListener('abort', guarded(log, over), { once: true });
      if (stream.signal.aborted) over();
    });
    // The service sends nothing, but its close is noticed only while the stream is read.
    stream.listen(() => undefined);
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.#start();
    await ended;
    this.#streams.delete(stream);
    if (this.#streams.size === 0) clearInterval(this.#regular);
  };

  #start(): void {
    const { log, meters, everyMs = METRICS_EVERY_MS } = this.#options;
    const made = meters();
    // Rates need two passes: the first is not sent.
    const measure = () => this.#measure(made, (message) => this.#send(message));
    this.#regular = setInterval(guarded(log, measure), everyMs);
    void this.#measure(made, () => undefined);
  }

  /** Does nothing while the previous pass is running. */
  async #measure(meters: Meters, send: (message: MetricsMessage) => void): Promise<void> {
    if (this.#measuring) return;
    this.#measuring = true;
    try {
      const reading = await this.#read(meters);
      if (reading) send(reading);
    } finally {
      this.#measuring = false;
    }
  }

  /** A service that does not read misses readings; nothing is queued for it. */
  #send(message: MetricsMessage): void {
    const text = JSON.stringify(message);
    for (const stream of this.#streams) stream.send(text);
  }

  /** Undefined if the server cannot be measured; without containers if the engine is unreachable. */
  async #read({ capacity, usage, traffic }: Meters): Promise<MetricsMessage | undefined> {
    const { log } = this.#options;
    try {
      const [{ memory, cpu, disk }, network, used] = await Promise.all([
        capacity.read(),
        traffic.read(),
        usage.read().catch((error: Error) => {
          log.debug({ err: error }, 'the usage of containers could not be read');
          return [];
        }),
      ]);
      return { server: { memory, cpu, disk, network }, usage: used };
    } catch (error) {
      log.debug({ err: error }, 'the load of the server could not be read');
      return undefined;
    }
  }
}
