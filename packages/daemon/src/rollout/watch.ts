import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Engine } from '../engine/engine.ts';
import { guarded } from '../guard.ts';
import { type ObservedInstance, observe } from '../instances/observe.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalledWatch } from '../journal/watches.ts';
import type { Log } from '../log.ts';
import { isSameImage } from '../pull/digests.ts';

/** Failures of containers that the engine replaces by itself, since a deployment. */
interface RepairedFailures {
  sickness(uid: string, deploymentId: string): Promise<string | undefined>;
  forget(deploymentId: string): void;
}

export interface WatchOptions {
  journal: Journal;
  engine: Engine;
  log: Log;
  serverId(): string;
  /** Whether this daemon may act: another member of its cluster may lead. */
  leads(): boolean;
  /** Whether another operation runs on the instance; its state is not meaningful meanwhile. */
  busy(uid: string): boolean;
  /** Failures that the engine has repaired, where it replaces containers by itself. */
  repaired?: RepairedFailures | undefined;
  /** Called when an instance becomes unhealthy during its watch period; `why` is for people. */
  onSick(watch: JournalledWatch, why: string): void;
  everyMs?: number;
}

/** Consecutive failures before the instance counts as unhealthy; a single probe may fail by chance. */
const POLLS = 3;

/** Watches instances for a while after their deployment: some faults show only under real requests. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #sick = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #supervising: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  start(): void {
    const poll = () => {
      // A failure to read the journal may be temporary; the next check retries.
      this.#supervising = this.#supervising
        .then(() => this.#poll())
        .catch((error: Error) => this.#options.log.warn({ err: error }, 'watched instances could not be checked'));
    };
    this.#timer = setInterval(guarded(this.#options.log, poll), this.#options.everyMs ?? 1_000);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#supervising;
  }

  async #poll(): Promise<void> {
    const { journal, log, leads } = this.#options;
    if (!leads()) return;
    for (const watch of journal.watches.all()) {
      try {
        await this.#check(watch);
      } catch (error) {
        log.debug({ instance: watch.instanceUid, err: error }, 'a watched instance could not be checked');
      }
    }
  }

  async #check(watch: JournalledWatch): Promise<void> {
    const { journal, engine, serverId, busy, leads, repaired, onSick } = this.#options;
    const { instanceUid: uid, until, deploymentId } = watch;
    if (busy(uid)) return;
    if (Date.now() > until) {
      repaired?.forget(deploymentId);
      return journal.watches.end(uid);
    }
    const [[seen], failure] = await Promise.all([
      observe(engine, serverId(), uid),
      repaired?.sickness(uid, deploymentId),
    ]);
    if (busy(uid) || !leads()) return;
    const why = failure ?? (seen && sickness(seen));
    const times = why === undefined ? 0 : (this.#sick.get(deploymentId) ?? 0) + 1;
    this.#sick.set(deploymentId, times);
    if (why === undefined || (failure === undefined && times < POLLS)) return;
    this.#sick.delete(deploymentId);
    repaired?.forget(deploymentId);
    onSick(watch, why);
  }
}

/** Describes what is wrong with an instance; a stopped one is not unhealthy. */
function sickness({ components }: ObservedInstance): string | undefined {
  const services = components.filter(({ kind }) => kind === 'service');
  const sick = services.find(
    ({ status, health }) => status === 'failed' || status === 'restarting' || health === 'unhealthy',
  );
  if (sick === undefined) return undefined;
  return sick.status === 'running' ? `${sick.name} became unhealthy` : `${sick.name} does not keep running`;
}

/** Returns the irreversible job that ran between two manifests, if any; the old version cannot read its data. */
export function irreversibleSince(former: Manifest, manifest: Manifest): string | undefined {
  return manifest.components.find((component) => {
    const before = former.components.find(({ name }) => name === component.name);
    const isSame =
      before !== undefined &&
      isSameImage(before.image, component.image) &&
      isDeepStrictEqual({ ...before, image: '' }, { ...component, image: '' });
    return component.irreversible && !isSame;
  })?.name;
}
