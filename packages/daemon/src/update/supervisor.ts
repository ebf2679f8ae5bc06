import type { UpdateOrder } from '@hortus/contract/releases/daemon-update';
import type { Log } from '../log.ts';
import { identityOf } from '../process/process-identity.ts';
import { returned } from './choose-program.ts';
import { installedBinary } from './running-binary.ts';
import { tryRelease } from './try-release.ts';
import type { InstalledBinary, KeptRelease, UpdateStore } from './update-record.ts';

/** The part of the daemon that acts on the engine; stopped while a new version is tried. */
export interface SupervisedDaemon {
  start(): void;
  stop(): Promise<void>;
}

export type HandOver = (release: KeptRelease, order: UpdateOrder) => void;

export interface SupervisorOptions {
  readonly store: UpdateStore;
  /** Path of the running binary; undefined if the daemon runs from source. */
  readonly binary: string | undefined;
  /** Arguments of this process. */
  readonly args: readonly string[];
  /** Creates a daemon that is not started; called again after a failed trial. */
  readonly open: (handOver: HandOver) => SupervisedDaemon;
  /** Replaces this process; returns only if that is impossible, by an exception. */
  readonly execute: (file: string) => void;
  /** Called if neither version can go on in this process; a service manager starts it again. */
  readonly onFatal: (error: Error) => void;
  readonly log: Log;
  readonly boundary?: ((moment: string) => void) | undefined;
}

const TRIAL_SECONDS = 60;

/** Runs the daemon, and replaces it by a new version that has proved itself. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopped = new AbortController();
  /** Undefined while a new version is tried. */
  #daemon: SupervisedDaemon | undefined;
  readonly #installed: InstalledBinary | undefined;
  #handingOver: Promise<void> | undefined;

  /** Throws if the daemon cannot be opened. */
  constructor(options: SupervisorOptions) {
    this.#options = options;
    // Now, because a binary that is installed later takes precedence.
    this.#installed = options.binary === undefined ? undefined : installedBinary(options.binary);
    this.#daemon = this.#open();
  }

  start(): void {
    this.#daemon?.start();
  }

  /** Shuts down. An update under way is given up. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#handingOver;
    await this.#daemon?.stop();
  }

  #open(): SupervisedDaemon {
    return this.#options.open((release, order) => {
      this.#handingOver ??= this.#handOver(release, order).then(
        () => {
          this.#handingOver = undefined;
        },
        (error: Error) => this.#options.onFatal(error),
      );
    });
  }

  async #handOver(release: KeptRelease, order: UpdateOrder): Promise<void> {
    const { log } = this.#options;
    log.info({ version: release.version }, 'trying a new version of the daemon');
    await this.#daemon?.stop();
    this.#daemon = undefined;
    try {
      await this.#try(release, order);
    } catch (error) {
      log.error({ version: release.version, err: error }, 'the new version failed; the former one goes on');
      this.#returned(`Version ${release.version} failed: ${(error as Error).message}.`);
    }
    if (this.#stopped.signal.aborted) return;
    this.#daemon = this.#open();
    this.#daemon.start();
  }

  /** Returns only by an exception: on success this process becomes the new version. */
  async #try(release: KeptRelease, order: UpdateOrder): Promise<void> {
    const { store, binary = '', args, execute, log, boundary } = this.#options;
    const supervisor = identityOf(process.pid);
    if (supervisor === undefined) throw new Error('/proc cannot be read');
    const { current, installed = this.#installed } = store.record;
    await tryRelease({
      file: release.file,
      args,
      former: binary,
      withinMs: (order.trial_seconds ?? TRIAL_SECONDS) * 1_000,
      onSpawned: (candidate) => store.write({ trial: { supervisor, candidate } }),
      onProved: () =>
        store.write({ installed, current: release, probation: { ...(current && { former: current }), starts: 1 } }),
      signal: this.#stopped.signal,
      log,
      boundary,
    });
    boundary?.('ended');
    execute(release.file);
  }

  #returned(message: string): void {
    const { store, log } = this.#options;
    const reason = this.#stopped.signal.aborted ? 'interrupted' : 'unhealthy';
    const error = store.tryToWrite({ ...returned(store.record, reason, message), trial: undefined });
    if (error) log.error({ err: error }, 'the outcome of an update could not be stored');
  }
}
