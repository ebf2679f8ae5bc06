import { VERSION } from '@hortus/contract/releases/version';
import { guarded } from '../guard.ts';
import { isRefusal, type Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import type { Policy } from '../policy/policy.ts';
import { printPolicy } from '../policy/read-policy.ts';
import { errorStamp, readErrors } from './error-file.ts';
import { operatingSystem } from './system.ts';

export interface DiagnosticsReporterOptions {
  service: Service;
  log: Log;
  stateDirectory: string;
  policy: Policy;
  serverId(): string | undefined;
  /** Whether the service is connected. */
  up(): boolean;
  everyMs?: number;
}

const MAX_POLICY = 16_384;

/** Reports the stored errors after every connect, among them that of a crash, and when new ones were stored. */
export class DiagnosticsReporter {
  readonly #options: DiagnosticsReporterOptions;
  #regular: NodeJS.Timeout | undefined;
  #reported: string | undefined;
  #isReporting = false;
  /** Whether the service is too old to take a report; asked again after a reconnect. */
  #isUnknown = false;

  constructor(options: DiagnosticsReporterOptions) {
    this.#options = options;
  }

  start(): void {
    const report = () => this.#report();
    this.#regular = setInterval(guarded(this.#options.log, report), this.#options.everyMs ?? 10_000);
  }

  stop(): void {
    clearInterval(this.#regular);
  }

  /** The service may have forgotten the last report, or be another version. */
  connected(): void {
    this.#reported = undefined;
    this.#isUnknown = false;
    void this.#report();
  }

  async #report(): Promise<void> {
    const { service, log, stateDirectory, policy, serverId, up } = this.#options;
    const id = serverId();
    const stamp = errorStamp(stateDirectory);
    if (id === undefined || !up() || this.#isUnknown || this.#isReporting || stamp === this.#reported) return;
    this.#isReporting = true;
    try {
      const body = {
        version: VERSION,
        node: process.versions.node,
        os: operatingSystem(),
        policy: printPolicy(policy).slice(0, MAX_POLICY),
        errors: readErrors(stateDirectory),
      };
      await service.call('diagnostics.report', { params: { id }, body });
      this.#reported = stamp;
    } catch (error) {
      this.#isUnknown = isRefusal(error);
      log.debug({ err: error }, 'the last errors could not be reported');
    } finally {
      this.#isReporting = false;
    }
  }
}
