import { setTimeout as sleep } from 'node:timers/promises';
import { type Fingerprint, lacksOf } from '@hortus/contract/fingerprint';
import type { Deployment, ReportedLine } from '@hortus/contract/resources/deployments';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { Slots, type Turns } from '../actions/turns.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import type { JournalledDeployment } from '../journal/deployments.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalledWatch } from '../journal/watches.ts';
import type { Log } from '../log.ts';
import { check } from '../policy/check.ts';
import type { Policy } from '../policy/policy.ts';
import { pinned } from '../pull/digests.ts';
import { settledPins } from '../pull/settled-pins.ts';
import { type RolloutResult, rollOut } from '../rollout/rollout.ts';
import { irreversibleSince } from '../rollout/watch.ts';
import { acceptManifest, type Expectation } from '../trust/accept-manifest.ts';
import { newDeploymentId } from './deployment-id.ts';
import { DeploymentLog, type LogBatch } from './deployment-log.ts';
import { DeploymentReports } from './deployment-reports.ts';
import { isRefusal, type Service } from './service.ts';

export interface DeploymentsOptions {
  journal: Journal;
  engine: Engine;
  service: Service;
  ingress: Ingress;
  turns: Turns;
  policy: Policy;
  /** Of the service; undefined as long as none is pinned, and then nothing is deployed. */
  publicKey(): Expectation['key'] | undefined;
  serverId(): string;
  /** What this server is made of; undefined while that is not known. */
  fingerprint(): Promise<Fingerprint | undefined>;
  log: Log;
  /** An instance changed. */
  onChange(uid: string): void;
  /** For tests, which end the process at a chosen moment. */
  boundary?: ((moment: string) => void) | undefined;
}

type Order = Pick<Deployment, 'id' | 'definition_id' | 'revision'> & Pick<JournalledDeployment, 'claim'>;

const AT_ONCE = 4;

/** Takes deployments from the service, rolls them out and says how they ended. */
export class DeploymentRunner {
  readonly #options: DeploymentsOptions;
  readonly #reports: DeploymentReports;
  readonly #active = new Map<string, { controller: AbortController; done: Promise<void> }>();
  readonly #slots = new Slots(AT_ONCE);
  #stopped = false;
  #closed = false;

  constructor(options: DeploymentsOptions) {
    this.#options = options;
    this.#reports = new DeploymentReports(options);
  }

  /** Looks for what is to be done. Rejects when the service does not answer. */
  async look(): Promise<void> {
    const { data } = await this.#options.service.call('deployments.pending', { query: { per_page: 100 } });
    for (const deployment of data) this.#take(deployment);
  }

  /** What an earlier life of the daemon was in the middle of is gone on with, even if the service is away. */
  recover(): void {
    for (const journalled of this.#options.journal.deployments.unfinished()) {
      if (journalled.phase === 'started') this.#follow(journalled.id, (signal) => this.#resume(journalled, signal));
    }
  }

  settle(): void {
    this.#reports.settle();
  }

  /**
   * Goes back to what ran before a deployment that turned out to be sick, without being asked: the service may be away. It
   * hears of it as of a deployment of its own kind.
   */
  return({ deploymentId, former, instanceUid, irreversible }: JournalledWatch, why: string): void {
    const { journal, log } = this.#options;
    if (this.#stopped) return;
    const id = newDeploymentId();
    log.warn('a deployment does not stand its trial', { deployment: deploymentId, why });
    const stays =
      irreversible &&
      `${why}, but ${irreversible} may have changed data that the previous version must not meet; nothing was rolled back.`;
    const { claim } = journal.together(() => {
      journal.watches.end(instanceUid);
      const received = journal.deployments.receiveReturn(id, deploymentId, former, Date.now());
      // Together with the rest: one that is found begun after a kill is gone on with.
      if (stays) journal.deployments.finish(id, failed('irreversible', stays), Date.now());
      return received;
    });
    if (stays) {
      this.#reports.report(id, { logs: [line('warn', stays)] });
      return;
    }
    const order = { id, definition_id: former.definition_id, revision: former.revision, claim };
    this.#follow(id, (signal) => this.#goBack(order, former, why, signal));
  }

  async #goBack(order: Order, former: SignedManifest, why: string, signal: AbortSignal): Promise<void> {
    await this.#rollOut(order, former, signal, [line('warn', `${why}; going back to revision ${former.revision}`)]);
  }

  /** Takes nothing new, gives what is under way a little time, and then leaves it to the next life of the daemon. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    const active = Promise.all([...this.#active.values()].map(({ done }) => done));
    await Promise.race([active, sleep(graceMs, undefined, { ref: false })]);
    this.#closed = true;
    this.#reports.stop();
  }

  #take(deployment: Deployment): void {
    const { id } = deployment;
    if (this.#stopped) return;
    const active = this.#active.get(id);
    if (active) {
      if (deployment.cancelling) active.controller.abort(CANCELLED);
      return;
    }
    const known = this.#options.journal.deployments.find(id);
    // The service still waits for what we have done: the report got lost, or the service was restored from a backup.
    if (known?.phase === 'finished') this.#reports.report(id);
    // Whoever claimed it is another daemon with our key, or we without what we have lost: nothing is rolled out twice at once.
    else if (!known && deployment.status === 'running') return;
    else this.#follow(id, (signal) => this.#begin(deployment, signal));
  }

  #follow(id: string, work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    const done = work(controller.signal)
      .catch((error: Error) => this.#options.log.warn('a deployment has to wait', { deployment: id, error }))
      .finally(() => this.#active.delete(id));
    this.#active.set(id, { controller, done });
  }

  async #begin(deployment: Deployment, signal: AbortSignal): Promise<void> {
    const { journal, service, log } = this.#options;
    const { id } = deployment;
    const { claim } = journal.deployments.receive(deployment, Date.now());
    // Both at once: a deployment is quick, and the second answer is needed unless the first is a refusal.
    const [claimed, answered] = await Promise.allSettled([
      service.call('deployments.status', { params: { id }, body: { status: 'running', claim } }),
      service.call('manifest.read', { query: { deployment_id: id } }),
    ]);
    if (claimed.status === 'rejected') {
      if (!isRefusal(claimed.reason)) throw claimed.reason;
      // Another daemon with our key was quicker, or somebody has ended it meanwhile.
      log.info('a deployment is not for this daemon', { deployment: id, reason: claimed.reason.message });
      return journal.deployments.forget(id);
    }
    if (claimed.value.data.cancelling) return this.#finish(id, failed(CANCELLED, 'It was cancelled before it began.'));
    if (answered.status === 'rejected') {
      if (!isRefusal(answered.reason)) throw answered.reason;
      return this.#finish(id, failed('manifest', answered.reason.message));
    }
    const accepted = this.#accept(deployment, answered.value.data);
    if ('status' in accepted) return this.#finish(id, accepted);
    const manifest = deployment.kind === 'heal' ? this.#asDeployed(accepted) : accepted;
    journal.deployments.start(id, manifest);
    await this.#rollOut({ ...deployment, claim }, manifest, signal);
  }

  /**
   * Healing brings back what was rolled out, to the byte and with the secret values of then: somebody may have given the
   * definition new ones that nobody has deployed yet. How to sign in to registries may have changed since.
   */
  #asDeployed(accepted: SignedManifest): SignedManifest {
    const { manifests } = this.#options.journal;
    const kept = manifests.of(accepted.instance_uid);
    if (kept?.revision !== accepted.revision || kept.definition_id !== accepted.definition_id) return accepted;
    return { ...pinned(kept, manifests.imagesOf(kept.instance_uid)), registries: accepted.registries ?? [] };
  }

  #accept(deployment: Omit<Order, 'claim'>, answer: unknown): SignedManifest | RolloutResult {
    const { journal, policy, publicKey, serverId } = this.#options;
    const key = publicKey();
    if (!key) return failed('signature', 'This daemon knows no public key of the service; register the server again.');
    const last = (uid: string) => journal.manifests.of(uid);
    const accepted = acceptManifest(answer, { key, serverId: serverId(), deployment, last });
    if (!accepted.ok) return failed(accepted.rule, `Refused: ${accepted.message}.`);
    const refusals = check(accepted.manifest, policy);
    if (refusals.length === 0) return accepted.manifest;
    const list = refusals.map(
      ({ rule, component, message }) => `${component ? `${component}: ` : ''}${message} (rule ${rule})`,
    );
    return failed('refused', `Refused by the policy of this server: ${list.join('; ')}.`);
  }

  /** The service looks before it orders, but may not know what has changed here since. */
  async #unfit(manifest: SignedManifest): Promise<RolloutResult | undefined> {
    if (lacksOf(manifest, NOTHING).length === 0) return undefined;
    const found = await this.#options.fingerprint();
    const lacks = found ? lacksOf(manifest, found) : [];
    if (lacks.length === 0) return undefined;
    return failed('unsupported', `This server cannot run it: ${lacks.map(({ message }) => message).join('; ')}.`);
  }

  async #resume(journalled: JournalledDeployment, signal: AbortSignal): Promise<void> {
    const { id, definitionId: definition_id, revision, claim, manifest, rollbackOf } = journalled;
    if (manifest === undefined) return this.#finish(id, failed('lost', 'The daemon has lost the manifest.'));
    const order = { id, definition_id, revision, claim };
    if (rollbackOf !== undefined) return await this.#goBack(order, manifest, 'The daemon was interrupted', signal);
    // A healing was accepted by another manifest than the one that it brings back.
    if (manifest.deployment_id !== id) return await this.#rollOut(order, manifest, signal);
    // The operator may have changed the policy since, and the disk may have been written to by others.
    const accepted = this.#accept(order, manifest);
    if ('status' in accepted) return this.#finish(id, accepted);
    await this.#rollOut(order, accepted, signal);
  }

  async #rollOut(
    order: Order,
    manifest: SignedManifest,
    signal: AbortSignal,
    said: ReportedLine[] = [],
  ): Promise<void> {
    const { turns, engine, ingress, journal, log, boundary } = this.#options;
    const { id, definition_id: definitionId, revision } = order;
    const isReturn = journal.deployments.find(id)?.rollbackOf !== undefined;
    // The service hears of a return when it is over.
    const send = isReturn
      ? () => Promise.reject(new Error('not yet'))
      : (batch: LogBatch) => this.#progress(order, batch);
    const lines = new DeploymentLog({ send });
    for (const one of said) lines.add(one);
    const { deadline, progress } = this.#deadline(id, manifest.deadline_ms);
    const events = { log: (line: ReportedLine) => lines.add(line), progress };
    const identity = { deploymentId: id, definitionId, revision, serverId: manifest.server_id };
    const steps = { step: (step: string) => this.#stopped || journal.deployments.step(id, step) };
    const deps = { engine, ingress, events, signal, journal: steps, boundary };
    const rollout = async () => ({
      ...identity,
      manifest: await settledPins(engine, manifest),
      former: journal.manifests.of(manifest.instance_uid),
      logins: manifest.registries,
    });
    const work = () => this.#slots.run(async () => (await this.#unfit(manifest)) ?? rollOut(await rollout(), deps));
    let result: RolloutResult;
    try {
      result = await turns.take(manifest.instance_uid, work);
    } catch (error) {
      log.error('a rollout failed unexpectedly', { deployment: id, error });
      result = failed('internal', (error as Error).message);
    }
    clearTimeout(deadline());
    const rest = await lines.close();
    // Past the daemon's own end the journal is closed; the next life goes on from what it says.
    if (this.#closed) return;
    boundary?.('before finish');
    journal.together(() => {
      if (result.status === 'success') {
        if (!isReturn) this.#beginWatch(id, manifest);
        journal.manifests.keep(manifest, result.images);
      }
      journal.deployments.finish(id, result, Date.now());
    });
    this.#reports.report(id, rest);
    boundary?.('after finish');
    this.#options.onChange(manifest.instance_uid);
  }

  /** What it can go back to is what the journal still holds: whatever ran before. */
  #beginWatch(deploymentId: string, manifest: SignedManifest): void {
    const { manifests, watches } = this.#options.journal;
    const { instance_uid: instanceUid, watch_ms = 0 } = manifest;
    const former = manifests.of(instanceUid);
    if (watch_ms === 0 || former === undefined || former.revision === manifest.revision) return;
    const until = Date.now() + watch_ms;
    const irreversible = irreversibleSince(former, manifest);
    // Its tags may mean other bytes by the time it is gone back to.
    const before = pinned(former, manifests.imagesOf(instanceUid));
    watches.begin({ instanceUid, deploymentId, until, irreversible, former: before });
  }

  /** Ends a rollout in which nothing moves any more. The service does the same, but may be away. */
  #deadline(id: string, ms: number): { deadline(): NodeJS.Timeout; progress(): void } {
    const end = () => this.#active.get(id)?.controller.abort('deadline');
    let timer = setTimeout(end, ms);
    const progress = () => {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
    };
    return { deadline: () => timer, progress };
  }

  async #progress({ id, claim }: Order, batch: LogBatch): Promise<void> {
    const { service } = this.#options;
    const answer = await service
      .call('deployments.status', { params: { id }, body: { status: 'running', claim, ...batch } })
      .catch((error) => {
        // It is over for the service; these lines are of use to nobody.
        if (isRefusal(error)) return undefined;
        throw error;
      });
    if (answer?.data.cancelling) this.#active.get(id)?.controller.abort(CANCELLED);
  }

  #finish(id: string, result: RolloutResult, rest?: LogBatch): void {
    this.#options.journal.deployments.finish(id, result, Date.now());
    this.#reports.report(id, rest);
  }
}

/** A server that has nothing: what lacks nothing there need not be looked at. */
const NOTHING = { engine_problem: null, gpu_runtime: null, caddy_version: null };

/** As the reason of an abort it becomes the reason of the result. */
const CANCELLED = 'cancelled';

function line(level: ReportedLine['level'], message: string): ReportedLine {
  return { at: Date.now(), level, message };
}

function failed(reason: string, error: string): RolloutResult {
  return { status: 'failed', reason, error, components: [] };
}
