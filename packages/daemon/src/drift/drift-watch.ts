import { isDeepStrictEqual } from 'node:util';
import type { Turns } from '../actions/turns.ts';
import { guarded } from '../guard.ts';
import { isRefusal, type Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import type { Drift } from './drift.ts';
import { type Looking, lookForDrift } from './look-for-drift.ts';

export interface DriftWatchOptions extends Looking {
  service: Service;
  turns: Turns;
  log: Log;
  /** Done while nothing else is done to the instance, before it is looked at. */
  refresh?(uid: string): Promise<void>;
  everyMs?: number;
  /** How long events of an instance are collected before it is looked at. */
  collectMs?: number;
}

/**
 * Looks again and again, and when something happened to a container, whether the instances still are what was deployed, and
 * tells the service when that changes. A change of networks is no event of a container, so the clock finds those.
 */
export class DriftWatch {
  readonly #options: DriftWatchOptions & { everyMs: number; collectMs: number };
  /** What the service knows. */
  readonly #told = new Map<string, readonly Drift[]>();
  readonly #queued = new Set<string>();
  readonly #soon = new Map<string, NodeJS.Timeout>();
  #regular: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: DriftWatchOptions) {
    this.#options = { everyMs: 120_000, collectMs: 2_000, ...options };
  }

  start(): void {
    const look = () => this.all();
    this.#regular = setInterval(guarded(this.#options.log, look), this.#options.everyMs);
    this.all();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#regular);
    for (const timer of this.#soon.values()) clearTimeout(timer);
    await this.#looking;
  }

  /** Something happened to this instance or, if none is named, perhaps to any. */
  changed(uid?: string): void {
    if (this.#stopped) return;
    if (uid === undefined) this.all();
    else if (!this.#soon.has(uid)) {
      const due = () => this.#due(uid);
      this.#soon.set(uid, setTimeout(guarded(this.#options.log, due), this.#options.collectMs));
    }
  }

  #due(uid: string): void {
    this.#soon.delete(uid);
    this.#queue(uid);
  }

  all(): void {
    for (const { instance_uid } of this.#options.journal.manifests.all()) this.#queue(instance_uid);
  }

  /** One after another: nobody waits for this, and a server with many instances has better things to do. */
  #queue(uid: string): void {
    if (this.#queued.has(uid)) return;
    this.#queued.add(uid);
    this.#looking = this.#looking.then(() => {
      this.#queued.delete(uid);
      return this.#look(uid);
    });
  }

  async #look(uid: string): Promise<void> {
    const { journal, service, turns, refresh, log } = this.#options;
    if (this.#stopped) return;
    // A rollout may take long, and the others shall not wait for it.
    if (turns.busy(uid)) return this.changed(uid);
    try {
      const drift = await turns.take(uid, async () => {
        const kept = journal.manifests.of(uid);
        if (this.#stopped || kept === undefined) return undefined;
        await refresh?.(uid);
        return await lookForDrift(this.#options, kept);
      });
      const id = journal.manifests.instanceId(uid);
      if (drift === undefined) this.#told.delete(uid);
      if (drift === undefined || id === undefined || isDeepStrictEqual(this.#told.get(uid), drift)) return;
      if (drift.length > 0)
        log.warn('an instance differs from what was deployed', { instance: uid, fields: named(drift) });
      await service.call('instances.drift', { params: { id }, body: { drift } });
      this.#told.set(uid, drift);
    } catch (error) {
      // The next look tells it again; what the service refuses it would refuse again.
      if (isRefusal(error)) log.debug('the drift of an instance is not taken', { instance: uid, error });
      else if (!this.#stopped) log.debug('the drift of an instance could not be told', { instance: uid, error });
    }
  }
}

const named = (drift: readonly Drift[]): string[] =>
  drift.map(({ component, field }) => (component === null ? field : `${component} ${field}`));
