import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ContainerEvent, Engine } from '../engine/engine.ts';
import { guarded } from '../guard.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { type ObservedInstance, observe } from '../rollout/observe.ts';
import type { Service } from './service.ts';

export interface ObserverOptions {
  engine: Engine;
  service: Service;
  journal: Journal;
  log: Log;
  serverId(): string;
  /** Whether something is being done to the instance: what it looks like meanwhile is no news. */
  busy(uid: string): boolean;
  /** Something happened to a container of this instance or, if none is named, perhaps to any. */
  onEvent?(uid: string | undefined): void;
  everyMs?: number;
  /** How long changes are collected before they are told. */
  collectMs?: number;
}

/** Tells the service what the containers do: at once when something changes, and everything now and then. */
export class Observer {
  readonly #options: Required<ObserverOptions>;
  readonly #stopped = new AbortController();
  readonly #told = new Map<string, ObservedInstance>();
  #soon: NodeJS.Timeout | undefined;
  /** The instances that may have changed; undefined among them stands for any. */
  #changed = new Set<string | undefined>();
  #regular: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(options: ObserverOptions) {
    this.#options = { everyMs: 30_000, collectMs: 200, onEvent: () => {}, ...options };
  }

  start(): void {
    void this.#watch();
    const tell = () => this.#tell(true);
    this.#regular = setInterval(guarded(this.#options.log, tell), this.#options.everyMs);
    this.#tell(true);
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#soon);
    clearInterval(this.#regular);
  }

  /** Something may have changed, with this instance or, if none is named, with any. */
  changed(uid?: string): void {
    this.#changed.add(uid);
    const tell = () => {
      this.#soon = undefined;
      this.#tell(false);
    };
    this.#soon ??= setTimeout(guarded(this.#options.log, tell), this.#options.collectMs);
  }

  /** Everything, for a service that may have forgotten. */
  all(): void {
    this.#tell(true);
  }

  async #watch(): Promise<void> {
    const { engine, log } = this.#options;
    const { signal } = this.#stopped;
    const labels = { [label.managed]: 'true' };
    // What happened since the last thing that was told is told, too: a container that was just not up again when it was looked
    // at, or when the engine could not be asked, would be taken for one that is not until the next regular look.
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
        log.warn('the engine tells no events at the moment', { error });
      }
      this.changed();
      this.#options.onEvent(undefined);
      await sleep(2_000, undefined, { signal }).catch(() => undefined);
      // Nobody has told what happened in the meantime.
      if (!signal.aborted) this.#options.onEvent(undefined);
    }
  }

  /** That a command runs inside, an action or a health check of the engine, changes nothing, and is told three times each. */
  #noticed({ action, attributes }: ContainerEvent): void {
    if (action.startsWith('exec_')) return;
    this.changed(attributes[label.instance]);
    this.#options.onEvent(attributes[label.instance]);
  }

  #tell(everything: boolean): void {
    this.#telling = this.#telling
      .then(() => this.#tellNow(everything))
      .catch((error: Error) => {
        // The next round tells it all again.
        this.#told.clear();
        this.#changed.add(undefined);
        if (!this.#stopped.signal.aborted) this.#options.log.debug('instances could not be reported', { error });
      });
  }

  async #tellNow(everything: boolean): Promise<void> {
    const { engine, service, serverId } = this.#options;
    if (this.#stopped.signal.aborted) return;
    const changed = this.#changed;
    this.#changed = new Set();
    const some = everything || changed.has(undefined) ? [undefined] : [...changed].filter((uid) => this.#settled(uid));
    const seen = (await Promise.all(some.map((uid) => observe(engine, serverId(), uid)))).flat();
    const now = seen.filter(({ instance_uid }) => this.#settled(instance_uid));
    const news = now.filter((one) => everything || !isDeepStrictEqual(this.#told.get(one.instance_uid), one));
    if (some.includes(undefined)) this.#told.clear();
    for (const one of now) this.#told.set(one.instance_uid, one);
    if (news.length === 0) return;
    await service.call('instances.report', { body: { instances: news.map(({ components: _, ...one }) => one) } });
    for (const one of news) await this.#tellComponents(one);
  }

  /** One that is not is looked at again later. */
  #settled(uid: string | undefined): boolean {
    if (uid === undefined || !this.#options.busy(uid)) return true;
    this.changed(uid);
    return false;
  }

  async #tellComponents({ instance_uid, components }: ObservedInstance): Promise<void> {
    const { journal, service } = this.#options;
    const instance_id = journal.manifests.instanceId(instance_uid);
    if (components.length < 2 || instance_id === undefined) return;
    await service.call('instances.syncComponents', { body: { instance_id, components } });
  }
}
