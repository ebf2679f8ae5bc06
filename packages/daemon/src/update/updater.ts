import type { KeyObject } from 'node:crypto';
import {
  type DaemonUpdateState,
  finalUpdateStates,
  type UpdateOrder,
  type UpdateReport,
} from '@hortus/contract/releases/daemon-update';
import type { Log } from '../log.ts';
import { checkRelease } from './check-release.ts';
import { diskRefusal } from './disk-refusal.ts';
import type { DownloadOptions } from './download.ts';
import { requireReplaceableBinary } from './running-binary.ts';
import { sameRelease } from './same-release.ts';
import type { KeptRelease, LastUpdate, UpdateStore } from './update-record.ts';
import { UpdateRefusal } from './update-refusal.ts';

export interface UpdaterOptions {
  readonly store: UpdateStore;
  readonly version: string;
  /** Path of the running binary; undefined if the daemon runs from source. */
  readonly binary: string | undefined;
  /** Release keys built into the running binary. */
  readonly keys: readonly KeyObject[];
  /** Oldest version that the policy of this server allows. */
  readonly minimum?: string | undefined;
  readonly service: { readonly baseUrl: string; readonly key: string };
  readonly channel: ReportChannel;
  /** Resolves when no work runs that a restart of the daemon would lose. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /** Stops this daemon and tries the release; called once. */
  readonly handOver: (release: KeptRelease, order: UpdateOrder) => void;
  readonly log: Log;
  readonly times?: Pick<DownloadOptions, 'backoff' | 'withinMs'>;
  readonly boundary?: ((moment: string) => void) | undefined;
}

/** Takes reports while it is connected; they are repeated after a reconnect. */
interface ReportChannel {
  send(report: { type: 'daemon_update_report' } & UpdateReport): unknown;
}

/** Milliseconds between two reports of the progress. */
const PROGRESS_EVERY = 2_000;

/** Carries out orders to update the daemon up to the moment at which the new binary is tried. */
export class Updater {
  readonly #options: UpdaterOptions;
  readonly #stopped = new AbortController();
  #work: Promise<void> | undefined;
  #received: number | undefined;

  constructor(options: UpdaterOptions) {
    this.#options = options;
  }

  /** Continues an update that a kill interrupted before its trial. */
  start(): void {
    const { last } = this.#options.store.record;
    if (last && (last.state === 'downloading' || last.state === 'verified')) this.#accept(last);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#work;
  }

  /** Handles an order whose signature by the service was checked. Idempotent: a known id is answered with its state. */
  order(order: UpdateOrder): void {
    const last = this.#last();
    const fresh: LastUpdate = { order, state: 'downloading', acceptedAt: Date.now() };
    if (last?.order.update_id === order.update_id) this.#report(last);
    else if (last && !isFinal(last.state)) this.#report(busy(fresh, last));
    else this.#accept(fresh);
  }

  #accept(fresh: LastUpdate): void {
    try {
      requireReplaceableBinary(this.#options.binary);
      checkRelease(fresh.order, this.#options);
      // Before anything else, so that a repeated order finds it.
      this.#advance(fresh);
      this.#begin(fresh);
    } catch (error) {
      this.#refused(fresh, error);
    }
  }

  /** Called when the service has accepted a connection: completes a probation, and reports the last update. */
  connected(): void {
    const { store, binary, log } = this.#options;
    const { probation, current, last } = store.record;
    if (probation && last?.state === 'trying' && current !== undefined && binary === current.file) {
      log.info({ version: current.version }, 'the daemon was updated');
      store.tryToWrite({ last: { ...last, state: 'done' }, probation: undefined });
    }
    this.reportTo(this.#options.channel);
  }

  /** Reports the last update over a channel. */
  reportTo(channel: ReportChannel): void {
    const last = this.#last();
    if (last) this.#report(last, channel);
  }

  #begin(last: LastUpdate): void {
    this.#work = this.#carryOut(last).catch((error: Error) => {
      if (!this.#stopped.signal.aborted) this.#refused(last, error);
    });
  }

  async #carryOut(last: LastUpdate): Promise<void> {
    const { store, binary, version, service, log, times, boundary, quiet, handOver } = this.#options;
    const { signal } = this.#stopped;
    const { order } = last;
    if (binary !== undefined && (await sameRelease(binary, version, order.release)))
      return this.#advance({ ...last, state: 'done', message: `The daemon already runs ${version}.` });
    // Loaded when needed, to keep an idle daemon small.
    const { keepRelease, keptRelease, removeOtherReleases, requireVersion } = await import('./keep-release.ts');
    if (last.state === 'downloading') {
      log.info({ version: order.release.version, bytes: order.size }, 'downloading a new version of the daemon');
      boundary?.('downloading');
      await removeOtherReleases(store.folder, store.record, keptRelease(store.folder, order));
      await keepRelease(store.folder, order, {
        url: `${service.baseUrl}${order.path}`,
        key: () => service.key,
        signal,
        onProgress: this.#progress(last),
        ...times,
      });
    }
    const release = keptRelease(store.folder, order);
    await requireVersion(release);
    this.#advance({ ...last, state: 'verified' });
    boundary?.('verified');
    await quiet(signal);
    signal.throwIfAborted();
    this.#advance({ ...last, state: 'trying' });
    boundary?.('trying');
    handOver(release, order);
  }

  #progress(last: LastUpdate): (received: number) => void {
    let reportedAt = performance.now();
    return (received) => {
      this.#received = received;
      if (performance.now() - reportedAt < PROGRESS_EVERY) return;
      reportedAt = performance.now();
      this.#report(last);
    };
  }

  #advance(last: LastUpdate): void {
    this.#options.store.write({ last });
    this.#report(last);
  }

  #refused(last: LastUpdate, cause: unknown): void {
    const error = diskRefusal(cause, this.#options.store.folder);
    const known = error instanceof UpdateRefusal;
    const { message } = error as Error;
    const refusal: LastUpdate = {
      ...last,
      state: 'refused',
      reason: known ? error.reason : 'download_failed',
      message: message.slice(0, 1_000),
    };
    this.#options.log.error(
      {
        version: last.order.release.version,
        reason: refusal.reason,
        err: error,
      },
      'an update of the daemon was refused',
    );
    const trouble = this.#options.store.tryToWrite({ last: refusal });
    // The service learns it anyway; only a restart forgets it.
    if (trouble) this.#options.log.warn({ err: trouble }, 'the state of an update could not be stored');
    this.#report(refusal);
  }

  #last(): LastUpdate | undefined {
    return this.#options.store.record.last;
  }

  #report({ order, state, reason, message }: LastUpdate, channel = this.#options.channel): void {
    const received = state === 'downloading' ? this.#received : undefined;
    channel.send({
      type: 'daemon_update_report',
      update_id: order.update_id,
      state,
      version: order.release.version,
      running: this.#options.version,
      ...(received !== undefined && { received }),
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    });
  }
}

const busy = (refused: LastUpdate, { order }: LastUpdate): LastUpdate => ({
  ...refused,
  state: 'refused',
  reason: 'busy',
  message: `Update ${order.update_id} to ${order.release.version} is under way; wait for its end.`,
});

const isFinal = (state: DaemonUpdateState): boolean => finalUpdateStates.some((item) => item === state);
