import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Engine } from '../engine/engine.ts';
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
  everyMs?: number;
  /** How long changes are collected before they are told. */
  collectMs?: number;
}

/** Tells the service what the containers do: at once when something changes, and everything now and then. */
export class Observer {
  readonly #options: Required<ObserverOptions>;
  readonly #stopped = new AbortController();
  #told = new Map<string, ObservedInstance>();
  #soon: NodeJS.Timeout | undefined;
  #regular: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(options: ObserverOptions) {
    this.#options = { everyMs: 30_000, collectMs: 200, ...options };
  }

  start(): void {
    void this.#watch();
    this.#regular = setInterval(() => this.#tell(true), this.#options.everyMs);
    this.#tell(true);
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#soon);
    clearInterval(this.#regular);
  }

  /** Something may have changed. */
  changed(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#tell(false);
    }, this.#options.collectMs);
  }

  /** Everything, for a service that may have forgotten. */
  all(): void {
    this.#tell(true);
  }

  async #watch(): Promise<void> {
    const { engine, log } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        await engine.events({ labels: { [label.managed]: 'true' } }, () => this.changed(), signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn('the engine tells no events at the moment', { error });
      }
      this.changed();
      await sleep(2_000, undefined, { signal }).catch(() => undefined);
    }
  }

  #tell(everything: boolean): void {
    this.#telling = this.#telling
      .then(() => this.#tellNow(everything))
      .catch((error: Error) => {
        // The next round tells it all again.
        this.#told.clear();
        if (!this.#stopped.signal.aborted) this.#options.log.debug('instances could not be reported', { error });
      });
  }

  async #tellNow(everything: boolean): Promise<void> {
    const { engine, service, serverId } = this.#options;
    if (this.#stopped.signal.aborted) return;
    const now = await observe(engine, serverId());
    const news = now.filter((one) => everything || !isDeepStrictEqual(this.#told.get(one.instance_uid), one));
    this.#told = new Map(now.map((one) => [one.instance_uid, one]));
    if (news.length === 0) return;
    await service.call('instances.report', { body: { instances: news.map(({ components: _, ...one }) => one) } });
    for (const one of news) await this.#tellComponents(one);
  }

  async #tellComponents({ instance_uid, components }: ObservedInstance): Promise<void> {
    const { journal, service } = this.#options;
    const instance_id = journal.manifests.instanceId(instance_uid);
    if (components.length < 2 || instance_id === undefined) return;
    await service.call('instances.syncComponents', { body: { instance_id, components } });
  }
}
