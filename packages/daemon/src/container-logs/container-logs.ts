import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { type Mask, maskOf } from '@hortus/template/masking/masking';
import { SharedTurns, type Turns } from '@hortus/template/masking/turns';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { type CollectedContainer, collect } from './collector.ts';
import { hiddenValues } from './hidden-values.ts';
import { isLogName, LogStore } from './log-store.ts';
import { type ContainerBudget, OutputBudgets } from './output-budget.ts';
import type { RingLimits } from './ring.ts';

export interface ContainerLogsOptions {
  engine: Engine;
  folder: string;
  /** Limits without settings of the template; `maxBytes` 0 collects nothing. */
  limits: RingLimits;
  /** Manifests whose secrets the container may know: of the last rollout, and of a running one. */
  manifests(uid: string, deploymentId: string | undefined): SignedManifest[];
  serverId(): string;
  /** Whether the manifests are current: those of a member of a cluster that does not lead may lack newer secrets. */
  collects?(): boolean;
  log: Log;
}

/** Limits for templates: a manifest must not fill the disk of the server. */
const MAX: RingLimits = { maxBytes: 256 * 1024 ** 2, maxAgeMs: 90 * 86_400_000 };
/** Delay for collecting events of an instance. */
const SOON_MS = 100;
/** Longest wait for the last lines of a container before it is removed. */
const SETTLE_MS = 5_000;
const TIDY_EVERY_MS = 3_600_000;

/** No end of a container is later. */
const NEVER = Number.POSITIVE_INFINITY;

interface Collecting {
  uid: string;
  done: Promise<void>;
  /** Kept while the container exists: a restart does not fill it up. */
  budget: ContainerBudget;
  /** When the container had stopped, once everything is stored; NEVER if its log cannot be read. */
  storedUntil: number | undefined;
  controller: AbortController;
}

/** Collects the output of all containers of instances, and keeps it after they are gone. */
export class ContainerLogs {
  readonly store: LogStore;
  readonly #options: ContainerLogsOptions;
  readonly #collecting = new Map<string, Collecting>();
  /** Instances to look at; undefined stands for all. */
  readonly #changed = new Set<string | undefined>();
  readonly #budgets = new OutputBudgets();
  readonly #turns = new SharedTurns();
  #soon: NodeJS.Timeout | undefined;
  #tidying: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ContainerLogsOptions) {
    this.#options = options;
    this.store = new LogStore({
      folder: options.folder,
      limits: (uid, component) => this.#limits(uid, component),
    });
  }

  start(): void {
    const tidy = () => this.tidy();
    this.#tidying = setInterval(guarded(this.#options.log, tidy), TIDY_EVERY_MS);
    this.changed(undefined);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#soon);
    clearInterval(this.#tidying);
    for (const { controller } of this.#collecting.values()) controller.abort();
    await Promise.all([...this.#collecting.values()].map(({ done }) => done));
    await this.store.close();
  }

  /** Looks for containers to collect from, after an event of this instance or of an unknown one. */
  changed(uid: string | undefined): void {
    if (this.#stopped || this.#options.limits.maxBytes === 0) return;
    this.#changed.add(uid);
    const poll = () => this.#poll();
    this.#soon ??= setTimeout(guarded(this.#options.log, poll), SOON_MS);
  }

  /** Waits until the output of a stopped container is stored. Called before it is removed. */
  async settle(id: string): Promise<void> {
    if (this.#stopped || this.#options.limits.maxBytes === 0) return;
    const facts = await this.#options.engine.inspect(id).catch(() => undefined);
    if (facts === undefined || facts.state === 'running') return;
    this.#begin(facts);
    const limit = new AbortController();
    await Promise.race([this.#collecting.get(facts.id)?.done, sleep(SETTLE_MS, undefined, { signal: limit.signal })]);
    limit.abort();
  }

  async tidy(): Promise<void> {
    await this.store.tidy();
  }

  async #poll(): Promise<void> {
    this.#soon = undefined;
    const { engine, serverId, log } = this.#options;
    const changed = [...this.#changed];
    this.#changed.clear();
    const uids = changed.includes(undefined) ? [undefined] : changed;
    for (const uid of uids) {
      const labels = {
        [label.managed]: 'true',
        [label.server]: serverId(),
        ...(uid !== undefined && { [label.instance]: uid }),
      };
      try {
        const found = await engine.containers({ labels });
        for (const facts of found) this.#begin(facts);
        this.#forget(uid, new Set(found.map(({ id }) => id)));
      } catch (error) {
        log.debug({ err: error }, 'containers could not be listed to collect their logs');
      }
    }
  }

  /** Starts collecting unless that runs, or everything is stored since the container stopped. */
  #begin(facts: ContainerFacts): void {
    const container = containerOf(facts);
    if (this.#stopped || container === undefined || facts.state === 'created') return;
    if (this.#options.collects?.() === false) return;
    const known = this.#collecting.get(facts.id);
    const isOver = facts.state !== 'running' && facts.state !== 'restarting';
    if (known && (known.storedUntil === undefined || known.storedUntil === NEVER)) return;
    if (known && isOver && known.storedUntil === (facts.finishedAt ?? 0)) return;
    const { engine, log, manifests } = this.#options;
    const controller = new AbortController();
    const deploymentId = facts.labels[label.deployment];
    // Without a manifest its secrets are unknown and could not be hidden.
    if (manifests(container.uid, deploymentId).length === 0) return;
    const deps = {
      engine,
      log,
      budget: known?.budget ?? this.#budgets.ofContainer(),
      turns: this.#turns,
      instanceLog: (uid: string) => this.store.of(uid),
      mask: ({ uid }: CollectedContainer, turns: Turns) => this.#mask(uid, deploymentId, turns),
      maxAgeMs: ({ uid, component }: CollectedContainer) => this.#limits(uid, component).maxAgeMs,
    };
    const collecting: Collecting = {
      uid: container.uid,
      controller,
      budget: deps.budget,
      storedUntil: undefined,
      done: Promise.resolve(),
    };
    collecting.done = collect(container, deps, controller.signal)
      .then(async (isReadable) => {
        if (!isReadable) {
          collecting.storedUntil = NEVER;
          return;
        }
        const after = await engine.inspect(facts.id).catch(() => undefined);
        collecting.storedUntil = after?.finishedAt ?? 0;
        // Started again meanwhile, before its event was of use.
        if (after?.state === 'running') this.changed(container.uid);
      })
      .catch((error: Error) => {
        collecting.storedUntil = 0;
        log.warn({ container: facts.id, err: error }, 'the log of a container is not collected');
      });
    this.#collecting.set(facts.id, collecting);
  }

  /** Forgets containers that no longer exist. */
  #forget(uid: string | undefined, present: ReadonlySet<string>): void {
    for (const [id, collecting] of this.#collecting)
      if ((uid === undefined || collecting.uid === uid) && collecting.storedUntil !== undefined && !present.has(id))
        this.#collecting.delete(id);
  }

  async #mask(uid: string, deploymentId: string | undefined, turns: Turns): Promise<Mask> {
    return await maskOf(this.#options.manifests(uid, deploymentId).flatMap(hiddenValues), turns);
  }

  #limits(uid: string, component: string): RingLimits {
    const { limits, manifests } = this.#options;
    const logs = manifests(uid, undefined)
      .at(0)
      ?.components.find(({ name }) => name === component)?.logs;
    return {
      maxBytes: Math.min(logs?.max_bytes ?? limits.maxBytes, Math.max(MAX.maxBytes, limits.maxBytes)),
      maxAgeMs: Math.min(logs?.max_age_ms ?? limits.maxAgeMs, Math.max(MAX.maxAgeMs, limits.maxAgeMs)),
    };
  }
}

/** Tells which instance a container belongs to; undefined for temporary ones of actions. */
function containerOf({ id, labels }: ContainerFacts): CollectedContainer | undefined {
  const uid = labels[label.instance];
  const component = labels[label.component];
  const isTemporary = labels[label.execution] !== undefined || labels[label.life] !== undefined;
  if (isTemporary || !isLogName(uid) || !isLogName(component)) return undefined;
  const replica = Number(labels[label.replica] ?? '1');
  return { id, uid, component, replica: Number.isInteger(replica) && replica > 0 ? replica : 1 };
}
