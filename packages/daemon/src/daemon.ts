import { guarded } from './guard.ts';
import type { Log } from './log.ts';
import { closeLeftWindows } from './volumes/window.ts';
import { type DaemonOptions, type Parts, wire } from './wiring.ts';

const HOUR = 3_600_000;
/** How long deployments under way have to come to an end before they are left to the next life. */
const STOP_GRACE_MS = 5_000;

/** The life of the daemon: how it begins and how it ends. What happens in between is told in the wiring. */
export class Daemon {
  readonly #log: Log;
  readonly #parts: Parts;
  #tidying: NodeJS.Timeout | undefined;

  /** Opens the state directory; throws when another daemon has it, or when the policy file has a mistake in it. */
  constructor(options: DaemonOptions) {
    this.#log = options.log;
    this.#parts = wire(options);
  }

  /** Goes on with what was under way, and connects. Returns at once; a service or an engine that is away is waited for. */
  start(): void {
    const parts = this.#parts;
    this.#tidy();
    parts.ingress.start();
    this.#closeLeftWindows();
    parts.backups.recover();
    parts.actions.recover();
    parts.deployments.recover();
    parts.shims.warm();
    parts.channel.start();
    parts.observer.start();
    parts.scheduler.start();
    parts.watch.start();
    parts.drift.start();
    parts.extraNetworks.start();
    parts.follow(undefined);
    parts.poller.wake();
    parts.results.settle();
    parts.deployments.settle();
    parts.metrics.start();
    const tidy = () => this.#tidy();
    this.#tidying = setInterval(guarded(this.#log, tidy), HOUR);
  }

  /** Ends in order. Actions that run go on by themselves, and the next start takes up the rest. */
  async stop(): Promise<void> {
    const parts = this.#parts;
    clearInterval(this.#tidying);
    parts.metrics.stop();
    parts.poller.stop();
    parts.observer.stop();
    await parts.scheduler.stop();
    await parts.watch.stop();
    await parts.transfers.stop();
    await parts.drift.stop();
    await parts.extraNetworks.stop();
    await Promise.all([parts.deployments.stop(STOP_GRACE_MS), parts.actions.stop()]);
    parts.channel.stop();
    parts.results.stop();
    await parts.ingress.stop();
    parts.engine.close();
    parts.journal.close();
  }

  #tidy(): void {
    try {
      this.#parts.journal.tidy(Date.now());
    } catch (error) {
      this.#log.warn('the journal could not be tidied', { error });
    }
  }

  /** An engine that is away has nothing of ours to close; what it has then is closed at the next start. */
  #closeLeftWindows(): void {
    const { serverId } = this.#parts.identity;
    if (serverId === undefined) return;
    closeLeftWindows(this.#parts.engine, serverId).catch((error: Error) =>
      this.#log.warn('windows into volumes that were left open could not be closed', { error }),
    );
  }
}
