import type { DeployedImage, Deployment } from '@hortus/contract/resources/deployment-records';
import type { DeploymentStatusReport, DeployReport, LogPosition } from '@hortus/contract/resources/deployment-reports';
import type { Instance, ReportedComponent, ReportedInstance } from '@hortus/contract/resources/instance-records';
import { type Mask, maskOf } from '@hortus/template/masking/masking';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import type { MakeRoom } from '../../quotas/stored-output.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { hiddenValues, succeeded } from '../definitions/public.ts';
import { acceptClaim, type HasPublishedDaemon } from './claims.ts';
import { checkDeadline } from './deadline.ts';
import { deploymentLifecycle } from './lifecycle.ts';
import { appendLines, type Line, readLines, readTime } from './logs/logs.ts';
import type { ManifestsOfDeployments } from './needs.ts';
import { type Held, hasEnded, hold, requireTurn, scopeOf, type Wake, wakeNext } from './queue.ts';
import { deploymentRecord } from './record.ts';
import { isNewest, type Return, readReturnedRevision, recordReturn, returnIn, wasRevised } from './returns.ts';
import { type DeploymentRow, findDeployment } from './store.ts';

/** Facts about the containers that a successful deployment created. */
export interface DeployedFacts {
  readonly revision: number;
  readonly url: string | null;
  readonly container_id: string | null;
  readonly container_name?: string;
  readonly status: ReportedInstance['status'];
  readonly health: Instance['health'];
  readonly started_at: number;
  /** Undefined if the daemon does not say; it may report them apart. */
  readonly components?: readonly ReportedComponent[];
}

interface InstancesOfDeployments {
  ensure(
    tx: Tx,
    of: { accountId: string; definitionId: string; serverId: string; containerName: string },
  ): Promise<{ readonly id: string }>;
  deployed(tx: Tx, instanceId: string, facts: DeployedFacts): Promise<void>;
  report(
    tx: Tx,
    scope: { accountId: string; serverId: string; actor: string | null },
    reported: ReportedInstance[],
  ): Promise<unknown>;
  releaseAll(tx: Tx, definitionId: string, actor: string | null): Promise<void>;
}

export interface DeploymentReportsDeps {
  readonly reader: Queries;
  readonly makeRoom: MakeRoom;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly instances: InstancesOfDeployments;
  readonly manifests: ManifestsOfDeployments;
  readonly hasPublishedDaemon: HasPublishedDaemon;
  /** Called when a deployment of a migration has ended; `facts` is undefined after a failure. */
  readonly elsewhere: (tx: Tx, deployment: DeploymentRow, facts: DeployedFacts | undefined) => Promise<void>;
  readonly wake: Wake;
  /** Records that the daemon is online. */
  readonly seen: (serverId: string) => void;
}

type Body = DeploymentStatusReport &
  Pick<DeployReport, 'instance' | 'components' | 'images' | 'gap_ms' | 'last_lines' | 'rollback_of' | 'revision'>;

/** A report without secrets, read as far as possible before the transaction begins. */
export interface Report {
  readonly id: string;
  readonly status: Body['status'];
  readonly lines: readonly Line[];
  readonly logPosition: LogPosition | null;
  /** Token of the reporting daemon, if it has one. */
  readonly claim: string | null;
  readonly error: string | null;
  readonly reason: string | null;
  /** Undefined if the daemon does not say; the images to run are then recorded as run. */
  readonly images: readonly DeployedImage[] | undefined;
  readonly gapMs: number | null;
  readonly lastLines: readonly string[];
  /** Set if a daemon reports a rollback that it made on its own. */
  readonly returned: Return | undefined;
  readonly instance: Partial<ReportedInstance>;
  readonly components: readonly ReportedComponent[] | undefined;
  readonly expected: { readonly url: string | null; readonly health: Instance['health'] };
}

/** Applies the reports of daemons to deployments. */
export class DeploymentReports {
  readonly #deps: DeploymentReportsDeps;
  constructor(deps: DeploymentReportsDeps) {
    this.#deps = deps;
  }

  async prepare(principal: Principal, id: string, body: Body): Promise<Report> {
    const { reader, vault, seen } = this.#deps;
    if (principal.kind === 'server') seen(principal.serverId);
    const scope = scopeOf(principal);
    const known = await findDeployment(reader, scope, id);
    const returned = known ? undefined : returnIn(id, body);
    const row = known ?? (returned && (await findDeployment(reader, scope, returned.rollbackOf)));
    if (!row) throw notFound('deployment');
    if (returned) await readReturnedRevision(reader, row.definition_id, returned.revision);
    const owner = { accountId: row.account_id, definitionId: row.definition_id };
    const mask = await maskOf(await hiddenValues(reader, vault, owner));
    const masked = async (text: string | null | undefined) => (typeof text === 'string' ? await mask(text) : null);
    const { container_id = null, gap_ms = null } = body;
    const revision = returned?.revision ?? row.revision;
    return {
      id,
      status: body.status,
      lines: await readLines(body.logs ?? [], mask),
      logPosition: body.log_position ?? null,
      claim: body.claim ?? null,
      error: await masked(body.error),
      reason: await masked(body.reason),
      images: body.images,
      gapMs: gap_ms,
      lastLines: await Promise.all((body.last_lines ?? []).map(mask)),
      returned,
      instance: { ...(container_id !== null && { container_id }), ...(await withoutSecretUrl(body.instance, mask)) },
      components: body.components,
      expected:
        body.status === 'success' ? await this.#expected({ ...row, revision }) : { url: null, health: 'unknown' },
    };
  }

  async apply(tx: Tx, principal: Principal, report: Report): Promise<Deployment> {
    const actor = actorOf(principal);
    const scope = scopeOf(principal);
    // By the server, whichever member of a cluster reports it: that tells it from a rollback which a person ordered.
    if (report.returned) await recordReturn(tx, scope, report.id, report.returned, scope.serverId ?? actor);
    const held = await hold(tx, scope, report.id);
    const { deployment } = held;
    if (hasEnded(deployment)) {
      if (deployment.status === report.status) return deploymentRecord(deployment);
      const { status } = deployment;
      throw conflict('status', 'final', `this deployment has already ended: ${status}.`, { status });
    }
    if (report.status === 'pending') {
      if (deployment.status === 'pending') return deploymentRecord(deployment);
      throw conflict('status', 'state', 'this deployment is running and cannot become pending again.', {
        status: 'running',
      });
    }
    const running =
      deployment.status === 'pending'
        ? await this.#claim(tx, held, report, actor)
        : await acceptClaim(tx, deployment, report.claim, this.#deps.hasPublishedDaemon);
    const row = await appendLines(tx, running, report.lines, report.logPosition, this.#deps.makeRoom);
    if (report.status === 'running') return deploymentRecord(row);
    const ended =
      report.status === 'success'
        ? await this.#succeed(tx, { ...held, deployment: row }, report, actor)
        : await this.#fail(tx, row, report, actor);
    await wakeNext(tx, this.#deps.wake, ended);
    return deploymentRecord(ended);
  }

  async #claim(tx: Tx, held: Held, { claim: claimed_by, returned }: Report, actor: string): Promise<DeploymentRow> {
    const { deployment } = held;
    // A rollback by the daemon has already happened, regardless of the queue.
    if (!returned) await requireTurn(tx, deployment);
    const { id: instance_id } = await this.#ensureInstance(tx, held);
    const deadline = await this.#deps.manifests.deadlineMs(tx, deployment.definition_id, deployment.revision);
    await checkDeadline(tx, deployment.id, tx.now + deadline);
    const set = { instance_id, claimed_by, started_at: tx.now, progress_at: tx.now };
    return await transition(tx, deploymentLifecycle, deployment, 'claim', { actor, set });
  }

  async #succeed(tx: Tx, held: Held, report: Report, actor: string): Promise<DeploymentRow> {
    const { definition, deployment } = held;
    const { instance, expected } = report;
    // The instance of the claim may have been released since; then a new one is created.
    const { id: instance_id } = await this.#ensureInstance(tx, held);
    const { returned, gapMs } = report;
    const isCurrent = !returned || (await isNewest(tx, deployment));
    const takesOver = returned ? isCurrent && !(await wasRevised(tx, held)) : deployment.kind === 'rollback';
    const reason = returned ? report.reason : null;
    const images = report.images === undefined ? deployment.images : JSON.stringify(report.images);
    const set = { instance_id, reason, images, gap_ms: gapMs, finished_at: tx.now };
    const ended = await transition(tx, deploymentLifecycle, deployment, 'succeed', { actor, set });
    const { revision } = ended;
    const facts: DeployedFacts = {
      revision,
      url: instance.url ?? expected.url,
      container_id: instance.container_id ?? null,
      ...(instance.container_name && { container_name: instance.container_name }),
      status: instance.status ?? 'running',
      health: instance.health ?? expected.health,
      started_at: readTime(instance.started_at) ?? tx.now,
      ...(report.components && { components: report.components }),
    };
    if (ended.kind === 'migrate') {
      await this.#deps.elsewhere(tx, ended, facts);
      return ended;
    }
    await succeeded(tx, definition, { actor, ...(takesOver && { makeCurrent: revision }) });
    if (!isCurrent) return ended;
    await this.#deps.instances.deployed(tx, instance_id, facts);
    // Archived while running and too late to cancel: remove the containers it started.
    if (definition.status === 'archived' && ended.cancel_requested_at !== null)
      await this.#deps.instances.releaseAll(tx, definition.id, actor);
    return ended;
  }

  async #fail(tx: Tx, row: DeploymentRow, report: Report, actor: string): Promise<DeploymentRow> {
    const reason = report.reason ?? (row.cancel_requested_at === null ? 'failed' : 'cancelled');
    const confirmed = row.cancel_requested_at !== null && reason === 'cancelled';
    const last_lines = report.lastLines.length === 0 ? null : JSON.stringify(report.lastLines);
    const set = { reason, error: report.error, gap_ms: report.gapMs, last_lines, finished_at: tx.now };
    const ended = await transition(tx, deploymentLifecycle, row, confirmed ? 'cancel' : 'fail', { actor, set });
    if (ended.kind === 'migrate') await this.#deps.elsewhere(tx, ended, undefined);
    const { status } = report.instance;
    if (status !== undefined) {
      const scope = { accountId: row.account_id, serverId: row.server_id, actor };
      const facts = { ...report.instance, status, definition_id: row.definition_id };
      await this.#deps.instances.report(tx, scope, [facts]);
    }
    return ended;
  }

  #ensureInstance(tx: Tx, { definition }: Held): Promise<{ readonly id: string }> {
    return this.#deps.instances.ensure(tx, {
      accountId: definition.account_id,
      definitionId: definition.id,
      serverId: definition.server_id,
      containerName: definition.container_name,
    });
  }

  /** Derives url and health of a success from the manifest, which is fixed for a pinned revision. */
  async #expected({ account_id, definition_id, revision }: DeploymentRow): Promise<Report['expected']> {
    try {
      const { reader, manifests } = this.#deps;
      const { manifest, secretPaths } = await manifests.resolve(reader, account_id, definition_id, revision);
      const primary = manifest.routes.findIndex((route) => route.primary);
      const isHidden = secretPaths.includes(`/routes/${primary}/url`);
      const url = isHidden ? null : (manifest.routes[primary]?.url ?? null);
      const checked = manifest.components.some(({ healthcheck }) => healthcheck !== undefined);
      // Success requires health, so a daemon that reports only success has seen it healthy.
      return { url, health: checked ? 'healthy' : 'unknown' };
    } catch (error) {
      if (error instanceof Problem) return { url: null, health: 'unknown' };
      throw error;
    }
  }
}

/** Drops the address of an instance if it contains a secret: records show it, and part of an address is of no use. */
async function withoutSecretUrl(instance: Body['instance'], mask: Mask): Promise<Partial<ReportedInstance>> {
  const { url, ...others } = instance ?? {};
  return typeof url === 'string' && (await mask(url)) === url ? { ...others, url } : others;
}
