import type { Fingerprint } from '@hortus/contract/records/fingerprint';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { ReportedLine } from '@hortus/contract/resources/deployment-reports';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { loggable } from '@hortus/logging/loggable';
import { Slots, type Turns } from '../concurrency/turns.ts';
import { hiddenValues } from '../container-logs/hidden-values.ts';
import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import type { JournalledDeployment } from '../journal/deployments.ts';
import type { Journal } from '../journal/journal.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { isRefusal, type Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import { settledPins } from '../pull/settled-pins.ts';
import { type Rollout, type RolloutDeps, rollOut } from '../rollout/rollout.ts';
import type { RolloutControl } from '../rollout/rollout-control.ts';
import type { ViewOf } from '../swarm/instance-views.ts';
import { rollOutOnSwarm } from '../swarm/swarm-rollout.ts';
import { failed } from './acceptance.ts';
import { DeploymentLog, type LogBatch } from './deployment-log.ts';
import type { DeploymentReports } from './deployment-reports.ts';
import { inDeploymentSpan } from './deployment-span.ts';
import { progressDeadline } from './progress-deadline.ts';
import { unfit } from './unfit.ts';
import { beginWatch, isRenewal } from './watch-period.ts';

export interface RolloutsOptions {
  journal: Journal;
  engine: Engine;
  /** The Swarm that this daemon drives; undefined on a plain server. */
  cluster?: Cluster | undefined;
  /** Reaches the node of the volumes of an instance. */
  viewOf?: ViewOf | undefined;
  /** Whether this daemon may act: another member of its cluster may lead. */
  leads(): boolean;
  service: Service;
  ingress: Ingress;
  turns: Turns;
  /** Fingerprint of this server; undefined while unknown. */
  fingerprint(): Promise<Fingerprint | undefined>;
  log: Log;
  /** Called after an instance changed. */
  onChange(uid: string): void;
  /** For tests that end the process at a chosen moment. */
  boundary?: ((moment: string) => void) | undefined;
}

export type Order = Pick<Deployment, 'id' | 'definition_id' | 'revision'> & Pick<JournalledDeployment, 'claim'>;

/** As the reason of an abort it becomes the reason of the result. */
export const CANCELLED = 'cancelled';

const AT_ONCE = 4;

/** Rolls accepted deployments out, a few at once, with a deadline; journals and reports their results. */
export class OrderedRollouts {
  readonly #options: RolloutsOptions;
  readonly #reports: Pick<DeploymentReports, 'report' | 'reportUnkept'>;
  readonly #slots = new Slots(AT_ONCE);
  #stopped = false;
  #closed = false;

  constructor(options: RolloutsOptions, reports: Pick<DeploymentReports, 'report' | 'reportUnkept'>) {
    this.#options = options;
    this.#reports = reports;
  }

  /** Records no more steps. */
  stop(): void {
    this.#stopped = true;
  }

  /** Leaves unfinished rollouts to the next start: the journal is about to be closed. */
  close(): void {
    this.#closed = true;
  }

  run(
    order: Order,
    manifest: SignedManifest,
    controller: RolloutControl,
    said: readonly ReportedLine[] = [],
  ): Promise<void> {
    const isReturn = this.#options.journal.deployments.find(order.id)?.rollbackOf !== undefined;
    return inDeploymentSpan(order.id, manifest, isReturn, async (opened) => {
      const result = await this.#carryOut(order, manifest, controller, said, isReturn);
      if (result?.status === 'failed') opened.fail(result.reason ?? 'failed');
    });
  }

  /** Returns undefined if the daemon was stopped meanwhile, or the rollout suspended. */
  async #carryOut(
    order: Order,
    manifest: SignedManifest,
    controller: RolloutControl,
    said: readonly ReportedLine[],
    isReturn: boolean,
  ): Promise<RolloutResult | undefined> {
    const { turns, engine, ingress, journal, log, boundary } = this.#options;
    const { id, definition_id: definitionId, revision } = order;
    // A rollback by the daemon is reported at its end.
    const send = isReturn
      ? () => Promise.reject(new Error('not yet'))
      : (batch: LogBatch) => this.#progress(order, controller, batch);
    const lines = new DeploymentLog({ send });
    for (const item of said) lines.add(item);
    const deadline = progressDeadline(log, manifest.deadline_ms, () => controller.abort('deadline'));
    const events = { log: (line: ReportedLine) => lines.add(line), progress: deadline.restart };
    const identity = { deploymentId: id, definitionId, revision, serverId: manifest.server_id };
    const steps = {
      step: (step: string) => this.#note(id, step),
      pulled: (image: string) => this.#closed || journal.pulledImages.add(image),
    };
    const unexpected = (error: unknown) => {
      // An error of the engine may quote the settings of a container.
      const { err } = loggable({ err: error }, hiddenValues(manifest));
      log.error({ err, deployment: id }, 'a rollout failed unexpectedly');
    };
    const deps = { engine, ingress, events, signal: controller.signal, journal: steps, unexpected, boundary };
    const rollout = async () => ({
      ...identity,
      manifest: await settledPins(engine, manifest),
      former: journal.manifests.of(manifest.instance_uid),
      logins: manifest.registries,
      renew: isRenewal(id, manifest),
    });
    const work = () =>
      this.#slots.run(
        async () => (await unfit(manifest, () => this.#options.fingerprint())) ?? this.#rollOut(await rollout(), deps),
      );
    let result: RolloutResult;
    try {
      result = await turns.take(manifest.instance_uid, work);
    } catch (error) {
      unexpected(error);
      result = failed('internal', (error as Error).message);
    }
    deadline.clear();
    const rest = await lines.close();
    // After shutdown the journal is closed; the next start resumes the deployment. So does the next leader of a cluster.
    if (this.#closed || controller.suspended || !this.#options.leads()) return undefined;
    boundary?.('before finish');
    try {
      journal.together(() => {
        if (result.status === 'success') {
          if (!isReturn) beginWatch(journal, id, manifest);
          journal.manifests.keep(manifest, result.images);
        }
        journal.deployments.finish(id, result, Date.now());
      });
      this.#reports.report(id, rest);
    } catch (error) {
      // Report it anyway. The next start resumes the deployment and finds it done.
      log.error({ deployment: id, err: error }, 'the result of a deployment could not be stored');
      this.#reports.reportUnkept(id, result, rest);
    }
    boundary?.('after finish');
    this.#options.onChange(manifest.instance_uid);
    return result;
  }

  #rollOut(rollout: Rollout, deps: RolloutDeps): Promise<RolloutResult> {
    const { cluster, viewOf } = this.#options;
    return cluster ? rollOutOnSwarm(rollout, { ...deps, cluster, viewOf }) : rollOut(rollout, deps);
  }

  /** Records a step for people; a full disk must not end the rollout. */
  #note(id: string, step: string): void {
    const { journal, log } = this.#options;
    if (this.#stopped) return;
    try {
      journal.deployments.step(id, step);
    } catch (error) {
      log.warn({ deployment: id, step, err: error }, 'a step could not be recorded');
    }
  }

  async #progress({ id, claim }: Order, controller: AbortController, batch: LogBatch): Promise<void> {
    const { service } = this.#options;
    const response = await service
      .call('deployments.status', { params: { id }, body: { status: 'running', claim, ...batch } })
      .catch((error) => {
        // The deployment has ended for the service, so the lines are not needed.
        if (isRefusal(error)) return undefined;
        throw error;
      });
    if (response?.data.cancelling) controller.abort(CANCELLED);
  }
}
