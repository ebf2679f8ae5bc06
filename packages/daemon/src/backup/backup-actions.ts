import { setTimeout as sleep } from 'node:timers/promises';
import { builtIn, isExclusive } from '@hortus/contract/actions/built-in-actions';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { BackupHandlers, BackupRun } from '../actions/handlers.ts';
import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import type { RelayTo } from '../instances/ways.ts';
import { type ActionOutcome, type ActionRequest, cancelled, failure, success } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import type { PauseRecords } from '../journal/pauses.ts';
import type { Log } from '../log.ts';
import { isSafeName } from '../plan/names.ts';
import type { InstanceView, ViewOf } from '../swarm/instance-views.ts';
import { swarmPauses } from '../swarm/swarm-pauses.ts';
import type { Expectation } from '../trust/accept-manifest.ts';
import type { BackupStore } from './backup-store.ts';
import { orderedInto } from './dump-restore.ts';
import { fillCopy } from './fill-copy.ts';
import { Keys } from './keys.ts';
import type { Vessel } from './part.ts';
import { endLeftoverPauses } from './pause.ts';
import { type Restoring, restore } from './restore.ts';
import { restoreElsewhere } from './restore-elsewhere.ts';
import { returnData } from './return-data.ts';
import { type Taken, takeBackup } from './take.ts';
import { clearTrials } from './trial.ts';
import { verify } from './verify.ts';

export interface BackupActionsOptions {
  engine: Engine;
  /** The Swarm that this daemon drives; undefined on a plain server. */
  cluster?: Cluster | undefined;
  /** The node of the volumes of an instance; by default that of this daemon. */
  viewOf?: ViewOf;
  /** Reaches tasks of a cluster that have no address on this machine. */
  relayTo?: RelayTo | undefined;
  ingress: Ingress;
  journal: Journal;
  log: Log;
  store: BackupStore;
  serverId(): string;
  /** Fetches the manifest of a deployment that waits for this action. */
  manifestOf(deployment: Expectation['deployment'], signal: AbortSignal): Promise<SignedManifest>;
  /** For tests that end the process there. */
  boundary?: ((moment: string) => void) | undefined;
}

interface Work extends BackupRun {
  signal: AbortSignal;
  say(line: string): void;
}

interface Running {
  controller: AbortController;
  done: Promise<unknown>;
  isSuspended: boolean;
}

type Result = Readonly<Record<string, unknown>>;
const KEY_BYTES = 32;
const RETRY_MS = 2_000;

/** Built-in backup actions. */
export class BackupActions implements BackupHandlers {
  readonly #options: BackupActionsOptions;
  readonly #keys = new Keys();
  readonly #running = new Map<string, Running>();
  readonly #stopped = new AbortController();
  /** Aborts what cannot be cancelled: the replacement of data. */
  #suspension = new AbortController();
  readonly #pauses: PauseRecords;
  #recovered: Promise<void> = Promise.resolve();
  /** Aborts with the leadership in which the cleanup began; undefined while none runs. */
  #recovering: AbortSignal | undefined;

  constructor(options: BackupActionsOptions) {
    this.#options = options;
    const { cluster, journal, serverId } = options;
    this.#pauses = cluster ? swarmPauses(cluster, serverId) : journal.pauses;
  }

  /**
   * Restarts applications that a killed daemon had stopped for a backup, and removes its trial instances. Does nothing while
   * actions run, whose applications and trials these would be; suspended ones are about to end.
   */
  recover(): void {
    const running = [...this.#running.values()];
    if (this.#recovering?.aborted === false || running.some(({ isSuspended }) => !isSuspended)) return;
    const signal = AbortSignal.any([this.#stopped.signal, this.#suspension.signal]);
    this.#recovering = signal;
    this.#recovered = Promise.allSettled(running.map(({ done }) => done))
      .then(() => this.#recover(signal))
      .finally(() => {
        if (this.#recovering === signal) this.#recovering = undefined;
      });
  }

  has(slug: string): boolean {
    return Object.hasOwn(this.#actions, slug);
  }

  /**
   * Returns the key of operations that exclude each other. Verifying or deleting a backup does not block a deployment.
   */
  turnOf(slug: string, uid: string): string {
    return this.has(slug) && !isExclusive(slug) ? `${uid} backups` : uid;
  }

  withoutKeys(request: ActionRequest): ActionRequest {
    return this.has(request.action.slug) ? this.#keys.take(request) : request;
  }

  cancel(id: string): void {
    this.#running.get(id)?.controller.abort();
  }

  /** Aborts running actions and waits until the applications that they stopped run again. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const { controller } of this.#running.values()) controller.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  suspend(): void {
    this.#suspension.abort();
    this.#suspension = new AbortController();
    for (const running of this.#running.values()) {
      running.isSuspended = true;
      running.controller.abort();
    }
  }

  async run(slug: string, run: BackupRun): Promise<ActionOutcome | undefined> {
    const controller = new AbortController();
    if (this.#stopped.signal.aborted) controller.abort();
    const done = this.#carryOut(slug, run, controller.signal);
    const running = { controller, done, isSuspended: false };
    this.#running.set(run.id, running);
    try {
      const outcome = await done;
      return running.isSuspended ? undefined : outcome;
    } finally {
      this.#running.delete(run.id);
      // The service sends keys with an order only, and no order to resume.
      if (!running.isSuspended) this.#keys.forget(run.id);
    }
  }

  async #carryOut(slug: string, run: BackupRun, signal: AbortSignal): Promise<ActionOutcome> {
    const lines: string[] = [];
    const output = () => lines.map((line) => `${line}\n`).join('');
    try {
      await this.#recovered;
      const action = this.#actions[slug];
      if (action === undefined) return failure(`This daemon has no built-in action ${slug}.`);
      const result = await action({ ...run, signal, say: (line) => lines.push(line) });
      return { ...success(output()), result };
    } catch (error) {
      const outcome = signal.aborted ? cancelled() : failure((error as Error).message);
      return { ...outcome, output: output() };
    }
  }

  readonly #actions: Readonly<Record<string, (work: Work) => Promise<Result>>> = {
    [builtIn.backup]: (work) => this.#backup(work),
    [builtIn.restore]: async (work) => ({ safety: this.#report(await restore(await this.#restoring(work))) }),
    [builtIn.restoreElsewhere]: (work) => this.#restoreElsewhere(work),
    [builtIn.returnData]: (work) => this.#returnData(work),
    [builtIn.copyData]: (work) => this.#copyData(work),
    [builtIn.verifyBackup]: (work) => this.#verify(work),
    [builtIn.deleteBackup]: (work) => this.#delete(work),
  };

  async #backup(work: Work): Promise<Result> {
    const { boundary } = this.#options;
    const { engine } = await this.#viewOf(work.uid);
    const { key } = await this.#keys.of(work.id, work.signal);
    const vessel = this.#vessel(work, 'backup_id', key);
    const extent = work.params.extent === 'volumes' ? 'volumes' : 'declared';
    const taking = { engine, pauses: this.#pauses, vessel, ...this.#deployed(work.uid), boundary };
    let taken: Taken;
    try {
      taken = await takeBackup(taking, extent);
    } catch (error) {
      // Do not leave a failed backup on the disk.
      await vessel.store.remove(vessel.place).catch(() => undefined);
      throw error;
    }
    for (const { kind, name, bytes, stored_bytes } of taken.manifest.parts) {
      work.say(`${kind} ${name}: ${bytes} bytes, stored as ${stored_bytes}`);
    }
    if (taken.manifest.stopped_ms > 0) work.say(`The application was down for ${taken.manifest.stopped_ms} ms`);
    return this.#report(taken);
  }

  async #restoring(work: Work): Promise<Restoring> {
    const { ingress, boundary } = this.#options;
    const { engine, cluster } = await this.#viewOf(work.uid);
    const { key, safetyKey } = await this.#keys.of(work.id, work.signal);
    return {
      engine,
      cluster,
      ingress,
      pauses: this.#pauses,
      ...this.#deployed(work.uid),
      source: this.#vessel({ ...work, signal: this.#suspension.signal }, 'backup_id', key),
      manifestSha256: String(work.params.manifest_sha256),
      safety: this.#vessel(work, 'safety_backup_id', safetyKey),
      kept: work.reached as Taken | undefined,
      into: orderedInto(work.params),
      keep: (taken) => work.reach(taken),
      say: work.say,
      boundary,
    };
  }

  async #restoreElsewhere(work: Work): Promise<Result> {
    const { cluster, ingress, boundary } = this.#options;
    if (cluster === undefined) throw new Error('This daemon drives no cluster, so it has no other node.');
    const { key } = await this.#keys.of(work.id, work.signal);
    await restoreElsewhere({
      cluster,
      viewOf: (uid) => this.#viewOf(uid),
      ingress,
      manifest: this.#deployed(work.uid).manifest,
      source: this.#vessel(work, 'backup_id', key),
      manifestSha256: String(work.params.manifest_sha256),
      lost: String(work.params.lost_node),
      into: orderedInto(work.params),
      say: work.say,
      signal: work.signal,
      boundary,
    });
    return {};
  }

  /**
   * Returns the data of an earlier revision. Afterwards the waiting deployment decides what runs, so the previous
   * version is not restored.
   */
  async #returnData(work: Work): Promise<Result> {
    const { journal, manifestOf, boundary } = this.#options;
    const restoring = await this.#restoring(work);
    const { manifest, kept } = restoring;
    const deployment = {
      id: String(work.params.deployment_id),
      definition_id: manifest.definition_id,
      revision: Number(work.params.revision),
    };
    // A killed daemon had completed it but not reported it.
    if (kept && manifest.deployment_id === deployment.id) return { safety: this.#report(kept) };
    const target = await manifestOf(deployment, work.signal);
    const safety = await returnData({ ...restoring, target, resume: work.params.resume === true });
    journal.together(() => {
      journal.watches.end(work.uid);
      journal.manifests.keep(target);
    });
    boundary?.('data is back');
    return { safety: this.#report(safety) };
  }

  async #copyData(work: Work): Promise<Result> {
    const { engine, cluster, ingress, manifestOf, boundary } = this.#options;
    const { params, say, signal } = work;
    const { key } = await this.#keys.of(work.id, signal);
    const target = await manifestOf(
      {
        id: String(params.deployment_id),
        definition_id: String(params.definition_id),
        revision: Number(params.revision),
      },
      signal,
    );
    const source = this.#vessel(work, 'backup_id', key);
    const manifestSha256 = String(params.manifest_sha256);
    await fillCopy({ engine, cluster, ingress, source, target, say, signal, boundary }, manifestSha256);
    return {};
  }

  async #verify(work: Work): Promise<Result> {
    const { engine, cluster, relayTo } = this.#options;
    const { key } = await this.#keys.of(work.id, work.signal);
    const source = this.#vessel(work, 'backup_id', key);
    const { manifest } = this.#deployed(work.uid);
    const manifestSha256 = String(work.params.manifest_sha256);
    const proof = await verify({
      engine,
      cluster,
      relayTo,
      source,
      manifest,
      manifestSha256,
      into: orderedInto(work.params),
      say: work.say,
      signal: work.signal,
    });
    return { proof };
  }

  /** Only the node of a volume can read or replace it. */
  async #viewOf(uid: string): Promise<InstanceView> {
    const { engine, cluster, viewOf } = this.#options;
    return viewOf ? await viewOf(uid) : { engine, cluster };
  }

  async #delete(work: Work): Promise<Result> {
    const { store, place } = this.#vessel(work, 'backup_id', Buffer.alloc(KEY_BYTES));
    await store.remove(place);
    return {};
  }

  #report({ manifest, manifest_sha256 }: Taken): Result {
    return { manifest, manifest_sha256, address: this.#options.store.address };
  }

  /** Validates names even in signed orders, because they become paths. */
  #vessel(
    { uid, params, signal }: Pick<Work, 'uid' | 'params'> & { signal: AbortSignal | undefined },
    field: string,
    key: Buffer | undefined,
  ): Vessel {
    const backupId = params[field];
    const instanceUid = typeof params.instance_uid === 'string' ? params.instance_uid : uid;
    if (typeof backupId !== 'string' || !isSafeName(backupId)) throw new Error(`${field} is not the id of a backup.`);
    if (!isSafeName(instanceUid)) throw new Error('instance_uid is not the name of an instance.');
    if (key?.length !== KEY_BYTES) throw new Error('The service sent no valid key for the backup.');
    return { store: this.#options.store, place: { instanceUid, backupId }, key, signal };
  }

  #deployed(uid: string) {
    const { manifests } = this.#options.journal;
    const manifest = manifests.of(uid);
    if (manifest === undefined) throw new Error(`Instance ${uid} was not deployed by this daemon.`);
    return { manifest, images: manifests.imagesOf(uid) };
  }

  async #recover(signal: AbortSignal): Promise<void> {
    const { engine, log, serverId } = this.#options;
    while (!signal.aborted) {
      try {
        await endLeftoverPauses({ engine, pauses: this.#pauses });
        await clearTrials(engine, serverId());
        return;
      } catch (error) {
        log.warn({ err: error }, 'interrupted backups could not be cleaned up yet; retrying');
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
