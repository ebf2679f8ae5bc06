import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ContainerEvent, Engine } from '../engine/engine.ts';
import { guarded } from '../guard.ts';
import { type ObservedComponent, type ObservedInstance, observe, withoutReplicas } from '../instances/observe.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { isRefusal, type Service } from './service.ts';

export interface ObserverOptions {
  engine: Engine;
  service: Service;
  journal: Journal;
  log: Log;
  serverId(): string;
  /** Whether this daemon reports: another member of its cluster may lead. */
  leads?(): boolean;
  /** Whether an operation runs on the instance; its state is not reported meanwhile. */
  busy(uid: string): boolean;
  /** Called for events of an instance, or of an unknown one. */
  onEvent?(uid: string | undefined): void;
  everyMs?: number;
  /** Delay for collecting changes before they are reported. */
  collectMs?: number;
}

/** Events of an instance that are handled at once; a restart or an update causes fewer. */
const MAX_EVENTS = 20;
const STORM_MS = 1_000;

/** Reports the state of containers: changes at once, and everything regularly. */
export class Observer {
  readonly #options: Required<ObserverOptions>;
  readonly #stopped = new AbortController();
  readonly #reported = new Map<string, ObservedInstance>();
  /** Components that the service has; sent again only if they change, or if it may have lost them. */
  readonly #synced = new Map<string, readonly ObservedComponent[]>();
  /** Number of events of an instance in this second. */
  readonly #recent = new Map<string | undefined, { count: number }>();
  #soon: NodeJS.Timeout | undefined;
  /** Instances that may have changed; undefined stands for all. */
  #changed = new Set<string | undefined>();
  #regular: NodeJS.Timeout | undefined;
  #reporting: Promise<void> = Promise.resolve();

  constructor(options: ObserverOptions) {
    this.#options = { everyMs: 30_000, collectMs: 200, onEvent: () => {}, leads: () => true, ...options };
  }

  start(): void {
    void this.#watch();
    const notify = () => this.#notify(true);
    this.#regular = setInterval(guarded(this.#options.log, notify), this.#options.everyMs);
    this.#notify(true);
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#soon);
    clearInterval(this.#regular);
  }

  /** Schedules a report for this instance, or for all. */
  changed(uid?: string): void {
    this.#changed.add(uid);
    this.#forget(uid);
    const notify = () => {
      this.#soon = undefined;
      this.#notify(false);
    };
    this.#soon ??= setTimeout(guarded(this.#options.log, notify), this.#options.collectMs);
  }

  /** Reports everything, for a service that may have lost it. */
  all(): void {
    this.#forget();
    this.#notify(true);
  }

  /** The end of a deployment reports components too, so what was reported before a change says nothing. */
  #forget(uid?: string): void {
    if (uid === undefined) this.#synced.clear();
    else this.#synced.delete(uid);
  }

  async #watch(): Promise<void> {
    const { engine, log } = this.#options;
    const { signal } = this.#stopped;
    const labels = { [label.managed]: 'true' };
    // Replay events since the last reported one: a container that was restarting at that moment, or while the engine
    // was unreachable, would otherwise be reported as down until the next regular check.
    let since = Date.now();
    const noticed = (event: ContainerEvent) => {
      since = event.at;
      this.#noticed(event);
    };
    while (!signal.aborted) {
      try {
        await engine.events({ labels, since }, noticed, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'container events are unavailable; retrying');
      }
      this.changed();
      this.#options.onEvent(undefined);
      await sleep(2_000, undefined, { signal }).catch(() => undefined);
      // Events in the meantime were missed.
      if (!signal.aborted) this.#options.onEvent(undefined);
    }
  }

  /** Handles an event. Ignores execs, which change nothing and cause three events each. */
  #noticed({ action, attributes }: ContainerEvent): void {
    if (action.startsWith('exec_')) return;
    this.#notice(attributes[label.instance]);
  }

  /**
   * Handles the first events of a second at once and the others together at its end: a container causes as many as it
   * likes, for example when the engine kills processes of it that need too much memory.
   */
  #notice(uid: string | undefined): void {
    const events = this.#recent.get(uid) ?? { count: 0 };
    if (events.count === 0) {
      this.#recent.set(uid, events);
      const over = () => {
        this.#recent.delete(uid);
        if (events.count > MAX_EVENTS && !this.#stopped.signal.aborted) this.#notice(uid);
      };
      setTimeout(guarded(this.#options.log, over), STORM_MS).unref();
    }
    if (++events.count > MAX_EVENTS) return;
    this.changed(uid);
    this.#options.onEvent(uid);
  }

  #notify(everything: boolean): void {
    this.#reporting = this.#reporting
      .then(() => this.#reportNow(everything))
      .catch((error: Error) => {
        // The next round reports everything again.
        this.#reported.clear();
        this.#changed.add(undefined);
        if (!this.#stopped.signal.aborted) this.#options.log.debug({ err: error }, 'instances could not be reported');
      });
  }

  async #reportNow(everything: boolean): Promise<void> {
    const { engine, service, serverId, leads } = this.#options;
    if (this.#stopped.signal.aborted || !leads()) return;
    const changed = this.#changed;
    this.#changed = new Set();
    const some = everything || changed.has(undefined) ? [undefined] : [...changed].filter((uid) => this.#settled(uid));
    const seen = (await Promise.all(some.map((uid) => observe(engine, serverId(), uid)))).flat();
    const now = seen.filter(({ instance_uid }) => this.#settled(instance_uid));
    const news = now.filter(
      (instance) => everything || !isDeepStrictEqual(this.#reported.get(instance.instance_uid), instance),
    );
    if (some.includes(undefined)) {
      this.#reported.clear();
      const present = new Set(seen.map(({ instance_uid }) => instance_uid));
      for (const uid of this.#synced.keys()) if (!present.has(uid)) this.#synced.delete(uid);
    }
    for (const instance of now) this.#reported.set(instance.instance_uid, instance);
    if (news.length === 0) return;
    await service.call('instances.report', { body: { instances: news.map(({ components: _, ...item }) => item) } });
    for (const instance of news) await this.#reportComponents(instance);
  }

  /** Answers whether the instance has no running operation; otherwise schedules another check. */
  #settled(uid: string | undefined): boolean {
    if (uid === undefined || !this.#options.busy(uid)) return true;
    this.changed(uid);
    return false;
  }

  async #reportComponents({ instance_uid, components: parts }: ObservedInstance): Promise<void> {
    const { journal, service, log } = this.#options;
    const components = withoutReplicas(parts);
    const instance_id = journal.manifests.instanceId(instance_uid);
    if (instance_id === undefined || isDeepStrictEqual(this.#synced.get(instance_uid), components)) return;
    try {
      await service.call('instances.syncComponents', { body: { instance_id, components } });
      this.#synced.set(instance_uid, components);
    } catch (error) {
      // Released meanwhile, for example; the others are still reported.
      if (!isRefusal(error)) throw error;
      log.debug({ err: error, instance: instance_uid }, 'the service refused the components of an instance');
    }
  }
}
