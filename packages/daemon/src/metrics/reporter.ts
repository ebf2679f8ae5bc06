import type { Fingerprint } from '@hortus/contract/records/fingerprint';
import type { NetworkUsage } from '@hortus/contract/records/network-usage';
import type { CapacityReport } from '@hortus/contract/resources/capacity';
import { guarded } from '../guard.ts';
import type { Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import type { CapacityMeter } from './capacity.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface MetricsReporterOptions {
  service: Service;
  log: Log;
  capacity: CapacityMeter;
  usage: UsageMeter;
  /** Fingerprint of the server; undefined while unknown. */
  fingerprint(): Promise<Fingerprint | undefined>;
  /** Usage of the network pool; rejects while the engine is unreachable. */
  networks(): Promise<NetworkUsage>;
  serverId(): string | undefined;
  /** Whether this daemon reports: another member of its cluster may lead. */
  leads(): boolean;
  everyMs?: number;
}

/** Reports the usage of the server and its containers: one request every 30 seconds, never two at once. */
export class MetricsReporter {
  readonly #options: MetricsReporterOptions;
  #regular: NodeJS.Timeout | undefined;
  #reporting = false;

  constructor(options: MetricsReporterOptions) {
    this.#options = options;
  }

  start(): void {
    const report = () => this.#report();
    this.#regular = setInterval(guarded(this.#options.log, report), this.#options.everyMs ?? 30_000);
    void this.#report();
  }

  stop(): void {
    clearInterval(this.#regular);
  }

  async #report(): Promise<void> {
    const { service, log, serverId, leads } = this.#options;
    const server_id = serverId();
    if (server_id === undefined || this.#reporting || !leads()) return;
    this.#reporting = true;
    try {
      await service.call('capacity.report', { params: { server_id }, body: await this.#read() });
    } catch (error) {
      log.debug({ err: error }, 'the capacity could not be reported');
    } finally {
      this.#reporting = false;
    }
  }

  /** Collects a report; reports the rest even if the engine is unreachable. */
  async #read(): Promise<CapacityReport> {
    const { capacity, usage, log } = this.#options;
    const [report, fingerprint, networks, used] = await Promise.all([
      capacity.read(),
      this.#options.fingerprint(),
      this.#options.networks().catch((error: Error) => {
        log.debug({ err: error }, 'the usage of the network pool could not be read');
        return undefined;
      }),
      usage.read().catch((error: Error) => {
        log.debug({ err: error }, 'the usage of containers could not be read');
        return [];
      }),
    ]);
    return { ...report, ...(fingerprint && { fingerprint }), ...(networks && { networks }), usage: used };
  }
}
