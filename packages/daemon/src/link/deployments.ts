import { setTimeout as sleep } from 'node:timers/promises';
import { type Fingerprint, lacksOf } from '@hortus/contract/fingerprint';
import type { Deployment, ReportedLine } from '@hortus/contract/resources/deployments';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { Slots, type Turns } from '../actions/turns.ts';
import type { Engine } from '../engine/engine.ts';
import { guarded } from '../guard.ts';
import type { Ingress } from '../ingress/ingress.ts';
import type { JournalledDeployment } from '../journal/deployments.ts';
import { journalTrouble } from '../journal/journal-trouble.ts';
import type { JournalledWatch } from '../journal/watches.ts';
import type { Log } from '../log.ts';
import { pinned } from '../pull/digests.ts';
import { settledPins } from '../pull/settled-pins.ts';
import { type RolloutResult, rollOut } from '../rollout/rollout.ts';
import { irreversibleSince } from '../rollout/watch.ts';
import { Acceptance, type AcceptanceOptions, failed } from './acceptance.ts';
import { newDeploymentId } from './deployment-id.ts';
import { DeploymentLog, type LogBatch } from './deployment-log.ts';
import { DeploymentReports } from './deployment-reports.ts';
import { isRefusal, type Service } from './service.ts';

export interface DeploymentsOptions extends AcceptanceOptions {
  engine: Engine;
  service: Service;
  ingress: Ingress;
  turns: Turns;
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
  readonly #acceptance: Acceptance;
  readonly #active = new Map<string, { controller: AbortController; done: Promise<void> }>();
  readonly #slots = new Slots(AT_ONCE);
  #stopped = false;
  #closed = false;

  constructor(options: DeploymentsOptions) {
    this.#options = options;
    this.#reports = new DeploymentReports(options);
    this.#acceptance = new Acceptance(options);
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
    // The operator may allow less than when it ran.
    const refused = this.#acceptance.refusal(former);
    if (refused) return this.#finish(order.id, refused);
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
    const prepared = await this.#prepare(deployment).catch((error) => this.#giveUp(deployment.id, error));
    if (prepared) await this.#rollOut(prepared.order, prepared.manifest, signal);
  }

  /** Claims it and puts it into the journal; nothing if that was its end. */
  async #prepare(deployment: Deployment): Promise<{ order: Order; manifest: SignedManifest } | undefined> {
    const { journal, service, log } = this.#options;
    const { id } = deployment;
    const { claim } = journal.deployments.receive(deployment, Date.now());
    // Both at once: a deployment is quick, and the second answer is needed unless the first is a refusal.
    const [claimed, answered] = await Promise.allSettled([
      service.call('deployments.status', { params: { id }, body: { status: 'running', claim } }),
      service.call('manifest.read', { query: { deployment_id: id, sealing_key: journal.keyPair.publicKey } }),
    ]);
    if (claimed.status === 'rejected') {
      if (!isRefusal(claimed.reason)) throw claimed.reason;
      // Another daemon with our key was quicker, or somebody has ended it meanwhile.
      log.info('a deployment is not for this daemon', { deployment: id, reason: claimed.reason.message });
      journal.deployments.forget(id);
      return undefined;
    }
    if (claimed.value.data.cancelling) return this.#finish(id, failed(CANCELLED, 'It was cancelled before it began.'));
    if (answered.status === 'rejected') {
      if (!isRefusal(answered.reason)) throw answered.reason;
      return this.#finish(id, failed('manifest', answered.reason.message));
    }
    const accepted = this.#acceptance.accept(deployment, answered.value.data);
    if ('status' in accepted) return this.#finish(id, accepted);
    const manifest = deployment.kind === 'heal' ? this.#acceptance.asDeployed(accepted) : accepted;
    journal.deployments.start(id, manifest);
    return { order: { ...deployment, claim }, manifest };
  }

  /** What the journal does not take is not begun; whoever ordered it hears so, instead of waiting for a disk with room. */
  async #giveUp(id: string, cause: unknown): Promise<undefined> {
    const { journal, service, log } = this.#options;
    const error = journalTrouble(cause, journal.directory);
    if (error === undefined) throw cause;
    log.error('a deployment was not begun', { deployment: id, error });
    const claim = journal.deployments.find(id)?.claim ?? null;
    const body = { status: 'failed', claim, reason: 'journal', error } as const;
    await service.call('deployments.status', { params: { id }, body }).catch((refusal) => {
      if (!isRefusal(refusal)) throw refusal;
    });
    return undefined;
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
    // The operator may allow less since. That it was accepted, for this deployment, is proven by the encryption of the journal.
    const accepted = this.#acceptance.refusal(manifest) ?? manifest;
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
    const steps = {
      step: (step: string) => this.#note(id, step),
      pulled: (image: string) => this.#closed || journal.pulledImages.add(image),
    };
    const deps = { engine, ingress, events, signal, journal: steps, boundary };
    const rollout = async () => ({
      ...identity,
      manifest: await settledPins(engine, manifest),
      former: journal.manifests.of(manifest.instance_uid),
      logins: manifest.registries,
      renew: isRenewal(id, manifest),
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
    try {
      journal.together(() => {
        if (result.status === 'success') {
          if (!isReturn) this.#beginWatch(id, manifest);
          journal.manifests.keep(manifest, result.images);
        }
        journal.deployments.finish(id, result, Date.now());
      });
      this.#reports.report(id, rest);
    } catch (error) {
      // The service hears of it all the same. The next life of the daemon goes through it again and finds it done.
      log.error('the result of a deployment cannot be kept', { deployment: id, error });
      this.#reports.reportUnkept(id, result, rest);
    }
    boundary?.('after finish');
    this.#options.onChange(manifest.instance_uid);
  }

  /** Of use to people alone: a disk without room must not end a rollout in its middle. */
  #note(id: string, step: string): void {
    const { journal, log } = this.#options;
    if (this.#stopped) return;
    try {
      journal.deployments.step(id, step);
    } catch (error) {
      log.warn('a step could not be noted', { deployment: id, step, error });
    }
  }

  /** What it can go back to is what the journal still holds: whatever ran before. */
  #beginWatch(deploymentId: string, manifest: SignedManifest): void {
    const { manifests, watches } = this.#options.journal;
    const { instance_uid: instanceUid, watch_ms = 0 } = manifest;
    const former = manifests.of(instanceUid);
    if (watch_ms === 0 || former === undefined) return;
    if (former.revision === manifest.revision && !isRenewal(deploymentId, manifest)) return;
    const until = Date.now() + watch_ms;
    // Of a renewed one the manifest does not tell whether it is the same; that it may have changed data is enough.
    const renewed =
      isRenewal(deploymentId, manifest) && manifest.components.find((component) => component.irreversible)?.name;
    const irreversible = renewed || irreversibleSince(former, manifest);
    // Its tags may mean other bytes by the time it is gone back to.
    const before = pinned(former, manifests.imagesOf(instanceUid));
    watches.begin({ instanceUid, deploymentId, until, irreversible, former: before });
  }

  /** Ends a rollout in which nothing moves any more. The service does the same, but may be away. */
  #deadline(id: string, ms: number): { deadline(): NodeJS.Timeout; progress(): void } {
    const guardedEnd = guarded(this.#options.log, () => this.#active.get(id)?.controller.abort('deadline'));
    let timer = setTimeout(guardedEnd, ms);
    const progress = () => {
      clearTimeout(timer);
      timer = setTimeout(guardedEnd, ms);
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

  #finish(id: string, result: RolloutResult): undefined {
    this.#options.journal.deployments.finish(id, result, Date.now());
    this.#reports.report(id);
  }
}

/** A server that has nothing: what lacks nothing there need not be looked at. */
const NOTHING = { engine_problem: null, gpu_runtime: null, caddy_version: null };

/** As the reason of an abort it becomes the reason of the result. */
const CANCELLED = 'cancelled';

/** Going back and healing are to what was, though that was renewed then, and not to what its names stand for by now. */
const isRenewal = (id: string, { renew, deployment_id }: SignedManifest): boolean =>
  renew === true && deployment_id === id;

function line(level: ReportedLine['level'], message: string): ReportedLine {
  return { at: Date.now(), level, message };
}
