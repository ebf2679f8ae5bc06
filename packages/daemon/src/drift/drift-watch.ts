import { isDeepStrictEqual } from 'node:util';
import type { Turns } from '../concurrency/turns.ts';
import type { Cluster } from '../engine/cluster.ts';
import { guarded } from '../guard.ts';
import { isRefusal, type Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import { type DriftDeps, detectDrift } from './detect-drift.ts';
import type { Drift } from './drift.ts';

export interface DriftWatchOptions extends DriftDeps {
  service: Service;
  turns: Turns;
  log: Log;
  /** The Swarm that this daemon drives: drift is not checked there. */
  cluster?: Cluster | undefined;
  /** Called before each check, while no other operation runs on the instance. */
  refresh?(uid: string): Promise<void>;
  everyMs?: number;
  /** Delay for collecting events of an instance before it is checked. */
  collectMs?: number;
}

/**
 * Checks instances for drift, regularly and after container events, and reports changes to the service. Network changes
 * cause no container event, so only the regular check finds them.
 */
export class DriftWatch {
  readonly #options: DriftWatchOptions & { everyMs: number; collectMs: number };
  /** Last reported drift. */
  readonly #reported = new Map<string, readonly Drift[]>();
  readonly #queued = new Set<string>();
  readonly #soon = new Map<string, NodeJS.Timeout>();
  #regular: NodeJS.Timeout | undefined;
  #supervising: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: DriftWatchOptions) {
    this.#options = { everyMs: 120_000, collectMs: 2_000, ...options };
  }

  start(): void {
    const poll = () => this.all();
    this.#regular = setInterval(guarded(this.#options.log, poll), this.#options.everyMs);
    this.all();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#regular);
    for (const timer of this.#soon.values()) clearTimeout(timer);
    await this.#supervising;
  }

  /** Schedules a check after an event of this instance, or of an unknown one. */
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

  /** Checks one instance after another: they are not urgent, and the server has other work. */
  #queue(uid: string): void {
    if (this.#queued.has(uid)) return;
    this.#queued.add(uid);
    this.#supervising = this.#supervising.then(() => {
      this.#queued.delete(uid);
      return this.#poll(uid);
    });
  }

  async #poll(uid: string): Promise<void> {
    const { journal, service, turns, refresh, log, cluster } = this.#options;
    // Only the API of a Swarm changes its services, and the Swarm restores their tasks itself.
    if (this.#stopped || cluster !== undefined) return;
    // Do not wait for a long rollout; check later.
    if (turns.busy(uid)) return this.changed(uid);
    try {
      const drift = await turns.take(uid, async () => {
        const kept = journal.manifests.of(uid);
        if (this.#stopped || kept === undefined) return undefined;
        await refresh?.(uid);
        return await detectDrift(this.#options, kept);
      });
      const id = journal.manifests.instanceId(uid);
      if (drift === undefined) this.#reported.delete(uid);
      if (drift === undefined || id === undefined || isDeepStrictEqual(this.#reported.get(uid), drift)) return;
      if (drift.length > 0)
        log.warn({ instance: uid, fields: named(drift) }, 'instance has drifted from its deployment');
      await service.call('instances.drift', { params: { id }, body: { drift } });
      this.#reported.set(uid, drift);
    } catch (error) {
      // The next check retries, except if the service rejected the report.
      if (isRefusal(error)) log.debug({ instance: uid, err: error }, 'the service rejected a drift report');
      else if (!this.#stopped) log.debug({ instance: uid, err: error }, 'a drift report could not be sent');
    }
  }
}

const named = (drift: readonly Drift[]): string[] =>
  drift.map(({ component, field }) => (component === null ? field : `${component} ${field}`));
