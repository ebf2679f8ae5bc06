import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@hortus/contract/records/new-id';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { ReportedLine } from '@hortus/contract/resources/deployment-reports';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { JournalledDeployment } from '../journal/deployments.ts';
import { journalTrouble } from '../journal/journal-trouble.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import type { JournalledWatch } from '../journal/watches.ts';
import { isRefusal } from '../link/service.ts';
import { RolloutControl } from '../rollout/rollout-control.ts';
import { requestNonce } from '../trust/request-nonce.ts';
import { Acceptance, type AcceptanceOptions, failed } from './acceptance.ts';
import { DeploymentReports } from './deployment-reports.ts';
import { CANCELLED, type Order, OrderedRollouts, type RolloutsOptions } from './ordered-rollouts.ts';

export interface DeploymentsOptions extends AcceptanceOptions, RolloutsOptions {}

/** Takes deployments from the service, claims and journals them, and has them rolled out. */
export class DeploymentRunner {
  readonly #options: DeploymentsOptions;
  readonly #reports: DeploymentReports;
  readonly #acceptance: Acceptance;
  readonly #active = new Map<string, { controller: RolloutControl; done: Promise<void> }>();
  readonly #rollouts: OrderedRollouts;
  #stopped = false;

  constructor(options: DeploymentsOptions) {
    this.#options = options;
    this.#reports = new DeploymentReports(options);
    this.#acceptance = new Acceptance(options);
    this.#rollouts = new OrderedRollouts(options, this.#reports);
  }

  /** Fetches pending deployments. Rejects if the service does not respond. */
  async poll(): Promise<void> {
    const { data } = await this.#options.service.call('deployments.pending', { query: { per_page: 100 } });
    for (const deployment of data) this.#take(deployment);
  }

  /** Resumes interrupted deployments; on a plain server even while the service is unreachable. */
  recover(): void {
    for (const journalled of this.#options.journal.deployments.unfinished()) {
      const active = this.#active.get(journalled.id);
      // A suspended one is about to end.
      if (active?.controller.suspended) void active.done.then(() => this.recover());
      else if (!active && !this.#stopped && journalled.phase === 'started')
        this.#follow(journalled.id, (controller) => this.#resume(journalled, controller));
    }
  }

  /** Ends all rollouts without undoing them, because another daemon may continue them. */
  suspend(): void {
    for (const { controller } of this.#active.values()) controller.suspend();
  }

  settle(): void {
    this.#reports.settle();
  }

  /**
   * Rolls an unhealthy deployment back without an order, because the service may be unreachable. It is reported as a
   * deployment of its own.
   */
  return({ deploymentId, former, instanceUid, irreversible }: JournalledWatch, why: string): void {
    const { journal, log, leads } = this.#options;
    if (this.#stopped || !leads()) return;
    const id = newId('deployment');
    log.warn({ deployment: deploymentId, why }, 'deployment became unhealthy during its watch period');
    const stays =
      irreversible &&
      `${why}, but ${irreversible} may have changed data in a way that the previous version cannot read; nothing was rolled back.`;
    const { claim } = journal.together(() => {
      journal.watches.end(instanceUid);
      const received = journal.deployments.receiveReturn(id, deploymentId, former, Date.now());
      // In the same transaction, because a started deployment would be resumed after a kill.
      if (stays) journal.deployments.finish(id, failed('irreversible', stays), Date.now());
      return received;
    });
    if (stays) {
      this.#reports.report(id, { logs: [line('warn', stays)] });
      return;
    }
    const order = { id, definition_id: former.definition_id, revision: former.revision, claim };
    this.#follow(id, (controller) => this.#goBack(order, former, why, controller));
  }

  async #goBack(order: Order, former: SignedManifest, why: string, controller: RolloutControl): Promise<void> {
    // The policy may have been tightened since it ran.
    const refused = this.#acceptance.refusal(former);
    if (refused) return this.#finish(order.id, refused);
    await this.#rollouts.run(order, former, controller, [
      line('warn', `${why}; rolling back to revision ${former.revision}`),
    ]);
  }

  /** Accepts nothing new, waits briefly for running deployments, and leaves the rest to the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    this.#rollouts.stop();
    const active = Promise.all([...this.#active.values()].map(({ done }) => done));
    await Promise.race([active, sleep(graceMs, undefined, { ref: false })]);
    this.#rollouts.close();
    this.#reports.stop();
  }

  #take(deployment: Deployment): void {
    const { id } = deployment;
    if (this.#stopped || !this.#options.leads()) return;
    const active = this.#active.get(id);
    if (active) {
      if (deployment.cancelling) active.controller.abort(CANCELLED);
      return;
    }
    const known = this.#options.journal.deployments.find(id);
    // The service still waits for a finished deployment: the report was lost, or the service was restored from a
    // backup.
    if (known?.phase === 'finished') this.#reports.report(id);
    // Claimed by another daemon with our key, or by us before we lost our state: never roll out twice at once. That of a
    // member which no longer leads is continued from the state of the Swarm.
    else if (!known && deployment.status === 'running' && !this.#isLeftToUs(deployment)) return;
    else this.#follow(id, (controller) => this.#begin(deployment, controller));
  }

  #isLeftToUs({ interrupted }: Deployment): boolean {
    return interrupted === true && this.#options.cluster !== undefined;
  }

  #follow(id: string, work: (controller: RolloutControl) => Promise<void>): void {
    const controller = new RolloutControl();
    const done = work(controller)
      .catch((error: Error) =>
        this.#options.log.warn({ deployment: id, err: error }, 'a deployment was interrupted; it will be retried'),
      )
      .finally(() => this.#active.delete(id));
    this.#active.set(id, { controller, done });
  }

  async #begin(deployment: Deployment, controller: RolloutControl): Promise<void> {
    const prepared = await this.#prepare(deployment).catch((error) => this.#giveUp(deployment.id, error));
    if (prepared) await this.#rollouts.run(prepared.order, prepared.manifest, controller);
  }

  /** Claims and journals a deployment; undefined if it ended with that. */
  async #prepare(deployment: Deployment): Promise<{ order: Order; manifest: SignedManifest } | undefined> {
    const { journal, service, log } = this.#options;
    const { id } = deployment;
    const { claim } = journal.deployments.receive(deployment, Date.now());
    const nonce = requestNonce();
    // In parallel to save time: the second response is needed unless the claim is rejected.
    const [claimed, responded] = await Promise.allSettled([
      service.call('deployments.status', { params: { id }, body: { status: 'running', claim } }),
      service.call('manifest.read', { query: { deployment_id: id, sealing_key: journal.keyPair.publicKey, nonce } }),
    ]);
    if (claimed.status === 'rejected') {
      if (!isRefusal(claimed.reason)) throw claimed.reason;
      // Another daemon with our key was faster, or the deployment has ended.
      log.info({ deployment: id, reason: claimed.reason.message }, 'a deployment could not be claimed');
      journal.deployments.forget(id);
      return undefined;
    }
    if (claimed.value.data.cancelling)
      return this.#finish(id, failed(CANCELLED, 'The deployment was cancelled before it started.'));
    if (responded.status === 'rejected') {
      if (!isRefusal(responded.reason)) throw responded.reason;
      return this.#finish(id, failed('manifest', responded.reason.message));
    }
    const accepted = this.#acceptance.accept(deployment, responded.value.data, nonce);
    if ('status' in accepted) return this.#finish(id, accepted);
    const manifest = deployment.kind === 'heal' ? this.#acceptance.asDeployed(accepted) : accepted;
    journal.deployments.start(id, manifest);
    return { order: { ...deployment, claim }, manifest };
  }

  /** Reports a deployment that could not be journalled as failed, instead of waiting for disk space. */
  async #giveUp(id: string, cause: unknown): Promise<undefined> {
    const { journal, service, log } = this.#options;
    const error = journalTrouble(cause, journal.directory);
    if (error === undefined) throw cause;
    log.error({ deployment: id, err: error }, 'a deployment was not started');
    const claim = journal.deployments.find(id)?.claim ?? null;
    const body = { status: 'failed', claim, reason: 'journal', error } as const;
    await service.call('deployments.status', { params: { id }, body }).catch((refusal) => {
      if (!isRefusal(refusal)) throw refusal;
    });
    return undefined;
  }

  async #resume(journalled: JournalledDeployment, controller: RolloutControl): Promise<void> {
    const { id, definitionId: definition_id, revision, claim, manifest, rollbackOf } = journalled;
    if (rollbackOf === undefined && !(await this.#isOurs(journalled)))
      return this.#options.journal.deployments.drop(id);
    if (manifest === undefined) return this.#finish(id, failed('lost', 'The daemon lost the manifest.'));
    const order = { id, definition_id, revision, claim };
    if (rollbackOf !== undefined) return await this.#goBack(order, manifest, 'The daemon was interrupted', controller);
    // The policy may have been tightened. The encryption of the journal proves that the manifest was accepted for this
    // deployment.
    const accepted = this.#acceptance.refusal(manifest) ?? manifest;
    if ('status' in accepted) return this.#finish(id, accepted);
    await this.#rollouts.run(order, accepted, controller);
  }

  /** Asks whether a deployment still is that of this member. The daemon of a plain server needs no answer. */
  async #isOurs({ id, claim }: JournalledDeployment): Promise<boolean> {
    const { cluster, service } = this.#options;
    if (!cluster) return true;
    try {
      await service.call('deployments.status', { params: { id }, body: { status: 'running', claim } });
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }

  #finish(id: string, result: RolloutResult): undefined {
    this.#options.journal.deployments.finish(id, result, Date.now());
    this.#reports.report(id);
  }
}

function line(level: ReportedLine['level'], message: string): ReportedLine {
  return { at: Date.now(), level, message };
}
