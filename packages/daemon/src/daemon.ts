import { guarded } from './guard.ts';
import type { Log } from './log.ts';
import { closeLeftoverWindows } from './volumes/window.ts';
import type { DaemonOptions } from './wiring/daemon-options.ts';
import { type Parts, wire } from './wiring/wiring.ts';

const HOUR = 3_600_000;
/** Time for running deployments to finish at shutdown; the next start resumes the rest. */
const STOP_GRACE_MS = 5_000;

/** Starts and stops the daemon. `wiring/` connects its parts. */
export class Daemon {
  readonly #log: Log;
  readonly #parts: Parts;
  #tidying: NodeJS.Timeout | undefined;

  /** Opens the state directory. Throws if another daemon uses it or the policy file is invalid. */
  constructor(options: DaemonOptions) {
    this.#log = options.log;
    this.#parts = wire(options);
  }

  /**
   * Resumes interrupted work and connects. Returns at once; waits in the background for an unreachable service or
   * engine.
   */
  start(): void {
    const parts = this.#parts;
    this.#tidy();
    parts.ingress.start();
    this.#closeLeftoverWindows();
    // A member of a cluster resumes its work when it leads, and only if no other member led meanwhile.
    if (parts.leads()) parts.resume();
    parts.shims.warm();
    parts.containerLogs.start();
    parts.channel.start();
    parts.observer.start();
    parts.scheduler.start();
    parts.watch.start();
    parts.drift.start();
    parts.extraNetworks.start();
    parts.follow(undefined);
    if (parts.leads()) {
      parts.poller.wake();
      parts.results.settle();
      parts.deployments.settle();
    }
    parts.metrics.start();
    parts.diagnostics.start();
    parts.nodeReports.start();
    parts.tunnels?.start();
    parts.relays?.start();
    parts.updater.start();
    const tidy = () => this.#tidy();
    this.#tidying = setInterval(guarded(this.#log, tidy), HOUR);
  }

  /** Shuts down cleanly. Running actions continue on their own; the next start resumes the rest. */
  async stop(): Promise<void> {
    const parts = this.#parts;
    clearInterval(this.#tidying);
    await parts.updater.stop();
    parts.metrics.stop();
    parts.diagnostics.stop();
    parts.nodeReports.stop();
    parts.poller.stop();
    parts.observer.stop();
    await parts.scheduler.stop();
    await parts.watch.stop();
    await parts.transfers.stop();
    await parts.drift.stop();
    await parts.extraNetworks.stop();
    await Promise.all([parts.deployments.stop(STOP_GRACE_MS), parts.actions.stop()]);
    parts.relays?.stop();
    await parts.tunnels?.stop();
    parts.leadership.stop();
    parts.channel.stop();
    parts.results.stop();
    parts.dialBack.stop();
    await parts.containerLogs.stop();
    await parts.ingress.stop();
    parts.cluster?.close();
    parts.engine.close();
    parts.journal.close();
  }

  #tidy(): void {
    try {
      this.#parts.journal.tidy(Date.now());
    } catch (error) {
      this.#log.warn({ err: error }, 'the journal could not be cleaned up');
    }
  }

  /**
   * Closes containers that a killed daemon left open on volumes. If the engine is unreachable, the next start retries.
   */
  #closeLeftoverWindows(): void {
    const { serverId } = this.#parts.identity;
    if (serverId === undefined) return;
    closeLeftoverWindows(this.#parts.engine, serverId).catch((error: Error) =>
      this.#log.warn({ err: error }, 'leftover helper containers of volumes could not be removed'),
    );
  }
}
