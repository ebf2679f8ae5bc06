import type { Deployment, DeploymentDetail } from '@hortus/contract/resources/deployment-records';
import type { DeploymentCreate, RollbackOrder } from '@hortus/contract/resources/deployments';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { requireFit } from '../capacity/public.ts';
import { findDefinition, type Pinned, pin, type RevisionRow } from '../definitions/public.ts';
import { requireOpenTenant } from '../tenants/public.ts';
import { type Beginning, beginDeployment } from './begin.ts';
import { checkDeadline, INTERRUPTED_MS } from './deadline.ts';
import { LINES_IN_RESPONSE } from './logs/logs.ts';
import { linesAfter } from './logs/store.ts';
import type { ReadServerState } from './needs.ts';
import type { Planning } from './planning.ts';
import { bringsDataBack, cancelHeld, hasEnded, hold, scopeOf, type Wake, wakeNext } from './queue.ts';
import { deploymentRecord, lineRecord } from './record.ts';
import { Reservations, type ReservationsDeps } from './reservations.ts';
import { claimFreeRoutes, claimRoutes } from './route-claims/route-claims.ts';
import {
  type DeploymentFilter,
  type DeploymentRow,
  deploymentList,
  findDeployment,
  hasNews,
  lastSuccess,
  markInterrupted,
  offeredList,
  restartClocks,
  serversWithNews,
  undoing,
} from './store.ts';

export interface DeploymentsDeps extends ReservationsDeps {
  /** Throws while the definition is being migrated; `field` is named in the error. */
  readonly requireSettled: (tx: Tx, definitionId: string, field?: string) => Promise<void>;
  readonly reader: Queries;
  readonly pages: Pages;
  readonly server: ReadServerState;
  /** Checks an order against the plan it was made for. */
  readonly planning: Pick<Planning, 'requireFit'>;
  /** Refuses if the running instance has no declared backup. */
  readonly requireBackup: (tx: Tx, accountId: string, definitionId: string) => Promise<void>;
  /** Finds the backup with the data of a revision to roll back to; undefined if there is none. */
  readonly backupFor: (tx: Tx, undone: DeploymentRow, revision: RevisionRow) => Promise<string | undefined>;
  /** Starts the preparation of a deployment. */
  readonly prepare: (tx: Tx, row: DeploymentRow) => Promise<DeploymentRow>;
  readonly wake: Wake;
  /** Records that the daemon is online. */
  readonly seen: (serverId: string) => void;
}

/** A backup that was made for a deployment before it was ordered. */
export interface TakenBackup {
  readonly id: string | null;
  /** Restore it into new volumes before the deployment starts. */
  readonly rebuild?: boolean;
}

/** Orders, lists, rolls back and cancels deployments. Reports of daemons are handled in `reports.ts`. */
export class Deployments {
  readonly #deps: DeploymentsDeps;
  readonly #reservations: Reservations;
  constructor(deps: DeploymentsDeps) {
    this.#deps = deps;
    this.#reservations = new Reservations(deps);
  }

  async list(principal: Principal, filter: Omit<DeploymentFilter, 'accountId'>, request: PageRequest) {
    return this.#page({ ...filter, accountId: principal.accountId }, 'desc', request);
  }

  /** Lists for a daemon what it may claim or has claimed, for users what is pending. */
  async pending(principal: Principal, serverId: string | undefined, request: PageRequest): Promise<Page<Deployment>> {
    const { reader, pages } = this.#deps;
    if (principal.kind !== 'server') {
      return this.#page({ accountId: principal.accountId, serverId, status: 'pending' }, 'asc', request);
    }
    const own = principal.serverId;
    this.#deps.seen(own);
    if (serverId !== undefined && serverId !== own) throw notFound('server');
    return await pages.read(request, offeredList(reader, { serverId: own }), deploymentRecord);
  }

  async read(principal: Principal, id: string, after: number): Promise<DeploymentDetail> {
    const { reader } = this.#deps;
    const row = await findDeployment(reader, scopeOf(principal), id);
    if (!row) throw notFound('deployment');
    const lines = await linesAfter(reader, id, after, LINES_IN_RESPONSE + 1);
    return {
      ...deploymentRecord(row),
      logs: lines.slice(0, LINES_IN_RESPONSE).map(lineRecord),
      last_lines: JSON.parse(row.last_lines ?? '[]'),
      logs_truncated: lines.length > LINES_IN_RESPONSE,
    };
  }

  /** Reads the state of a deployment for resources that wait for it. */
  async find(queries: Queries, principal: Principal, id: string): Promise<Deployment> {
    const row = await findDeployment(queries, scopeOf(principal), id);
    if (!row) throw notFound('deployment');
    return deploymentRecord(row);
  }

  /**
   * Finds the rollback of a deployment and whether the daemon made it on its own; undefined if it was not rolled back.
   */
  async undoingOf(queries: Queries, { accountId }: Principal, id: string) {
    const row = await undoing(queries, accountId, id);
    return row && { id: row.id, byDaemon: row.created_by === row.server_id };
  }

  /** Checks early whether the server can run the definition; outside the transaction, because it is slow. */
  async rehearse({ accountId }: Principal, { definition_id: id }: DeploymentCreate): Promise<void> {
    const { reader, manifests, server } = this.#deps;
    const definition = id === undefined ? undefined : await findDefinition(reader, accountId, id);
    if (definition === undefined || definition.status === 'archived') return;
    const { manifest } = await manifests.resolve(reader, accountId, definition.id, definition.current_revision);
    requireFit(manifest, (await server(reader, accountId, definition.server_id))?.fingerprint ?? null);
  }

  /** Checks whether a revision fits on a server, for migrations. */
  requireRoom(tx: Tx, pinned: Pinned): Promise<void> {
    return this.#reservations.requireRoom(tx, pinned);
  }

  async execute(tx: Tx, principal: Principal, body: DeploymentCreate, taken?: TakenBackup): Promise<Deployment> {
    const field = 'definition_id';
    if (body.definition_id === undefined) throw invalid(field, 'is required.');
    const pinned = await pin(tx, principal.accountId, body.definition_id, { field });
    const { server_id } = pinned.definition;
    if (body.server_id !== undefined && body.server_id !== server_id)
      throw conflict('server_id', 'other_server', `the definition belongs to server ${server_id}.`);
    if (!body.ignore_capacity) await this.#reservations.requireRoom(tx, pinned);
    await this.#deps.planning.requireFit(tx, pinned.definition, body);
    if (body.backup_first) await this.#deps.requireBackup(tx, principal.accountId, body.definition_id);
    return this.#order(tx, pinned, {
      rollbackOf: null,
      renew: body.pull ?? false,
      actor: actorOf(principal),
      preparation: taken?.rebuild ? 'restore' : body.backup_first ? 'backup' : null,
      backupId: taken?.id ?? null,
    });
  }

  /**
   * Deploys the first revision of a copy, with the image digests of its original, after the data of a backup of that
   * was restored into it.
   */
  async deployCopy(
    tx: Tx,
    principal: Principal,
    id: string,
    { backupId, ignoreCapacity }: { readonly backupId: string | null; readonly ignoreCapacity: boolean },
  ): Promise<Deployment> {
    const pinned = await pin(tx, principal.accountId, id, { field: 'id', number: 1 });
    if (!ignoreCapacity) await this.#reservations.requireRoom(tx, pinned);
    const original = await lastSuccess(tx, pinned.definition.copy_of ?? '');
    return this.#order(tx, pinned, {
      rollbackOf: null,
      images: original?.images ?? '[]',
      actor: actorOf(principal),
      preparation: backupId === null ? null : 'restore',
      backupId,
    });
  }

  /** Reads the last output of the container that made a deployment fail. */
  async lastLines(queries: Queries, principal: Principal, id: string): Promise<string[]> {
    const row = await findDeployment(queries, scopeOf(principal), id);
    return JSON.parse(row?.last_lines ?? '[]');
  }

  /** Orders a new deployment of what ran before; the undone one keeps its status. */
  async rollback(tx: Tx, principal: Principal, id: string, order: RollbackOrder = {}): Promise<Deployment> {
    if (order.with_data) requirePermission(principal, 'backups:restore');
    const back = await this.#goBack(tx, principal, id, order.with_data ?? false);
    if (back) return back;
    throw conflict('with_data', 'no_backup', 'there is no restorable backup of the data of that revision.');
  }

  /** Rolls back revision and data, for upgrades; undefined if there is no backup for that. */
  returnWithData(tx: Tx, principal: Principal, id: string): Promise<Deployment | undefined> {
    return this.#goBack(tx, principal, id, true);
  }

  async #goBack(tx: Tx, principal: Principal, id: string, withData: boolean): Promise<Deployment | undefined> {
    const { deployment } = await hold(tx, scopeOf(principal), id);
    const target = await rollbackTarget(tx, deployment);
    if (!target) throw conflict('id', 'nothing_before', 'no deployment of this definition succeeded before this one.');
    const { account_id, definition_id } = deployment;
    const pinned = await pin(tx, account_id, definition_id, { field: 'id', number: target.revision });
    const { images } = target;
    const beginning = { rollbackOf: id, images, actor: actorOf(principal) };
    if (!withData && wasRebuilt(deployment))
      throw conflict(
        'with_data',
        'data_rebuilt',
        'the data was restored from a dump for this version, so the earlier one cannot read it; roll back with with_data.',
      );
    if (!withData) return this.#order(tx, pinned, beginning);
    const backupId = await this.#deps.backupFor(tx, deployment, pinned.revision);
    if (backupId === undefined) return undefined;
    return this.#order(tx, pinned, { ...beginning, preparation: 'restore', backupId });
  }

  /** Redeploys the running revision with the same images because it has drifted. */
  heal(tx: Tx, pinned: Pinned, images: string): Promise<Deployment> {
    return this.#order(tx, pinned, { rollbackOf: null, heals: true, images, actor: null });
  }

  /** Idempotent for deployments that are cancelled or being cancelled. */
  async cancel(tx: Tx, principal: Principal, id: string): Promise<Deployment> {
    const { deployment } = await hold(tx, scopeOf(principal), id);
    if (hasEnded(deployment)) {
      if (deployment.reason === 'cancelled') return deploymentRecord(deployment);
      throw conflict('status', 'final', `this deployment has already ended: ${deployment.status}.`, {
        status: deployment.status,
      });
    }
    if (deployment.status === 'pending' && bringsDataBack(deployment))
      throw conflict('status', 'restoring', 'a restore is running and cannot be cancelled; wait for it to finish.');
    const cancelled = await cancelHeld(tx, this.#deps.wake, deployment, actorOf(principal));
    if (hasEnded(cancelled)) await wakeNext(tx, this.#deps.wake, cancelled);
    return deploymentRecord(cancelled);
  }

  /** Restarts the deadlines of a server that has reconnected. */
  async serverReturned(tx: Tx, serverId: string): Promise<void> {
    await restartClocks(tx, serverId);
  }

  /**
   * Handles that another member leads a cluster: what it runs is known only to the last leader. The next one may decide by
   * the state of the cluster how they ended, or continue them, within INTERRUPTED_MS; otherwise their outcome is unknown.
   */
  async interrupt(tx: Tx, serverId: string): Promise<void> {
    for (const id of await markInterrupted(tx, serverId)) await checkDeadline(tx, id, tx.now + INTERRUPTED_MS);
  }

  /** Whether the daemon of a server has work to start or to cancel. */
  hasWorkFor(queries: Queries, serverId: string): Promise<boolean> {
    return hasNews(queries, serverId);
  }

  /** Lists the servers whose daemons may have work; for some another deployment may be ahead. */
  serversWithWork(queries: Queries): Promise<string[]> {
    return serversWithNews(queries);
  }

  async #order(tx: Tx, pinned: Pinned, beginning: Beginning): Promise<Deployment> {
    const { definition, revision } = pinned;
    await this.#requireServer(tx, definition.account_id, definition.server_id);
    await requireOpenTenant(tx, definition.tenant_id);
    await this.#deps.requireSettled(tx, definition.id);
    const { routes } = (await this.#deps.manifests.resolve(tx, definition.account_id, definition.id, revision.number))
      .manifest;
    // Other preparations cannot wait for that as well.
    const claim = beginning.preparation ? claimFreeRoutes : claimRoutes;
    const leaving = await claim(tx, definition, revision.number, routes);
    const row = await beginDeployment(tx, pinned, leaving ? { ...beginning, preparation: 'release' } : beginning);
    this.#deps.wake(tx, row.server_id);
    return deploymentRecord(await this.#deps.prepare(tx, row));
  }

  /** An offline server is accepted: the deployment waits for it. */
  async #requireServer(tx: Tx, accountId: string, id: string): Promise<void> {
    const serverState = await this.#deps.server(tx, accountId, id);
    if (!serverState) throw conflict('server_id', 'removed', 'the server of the definition has been removed.');
    const { status } = serverState;
    if (status === 'disabled' || status === 'draining')
      throw conflict('server_id', status, `the server of the definition is ${status} and takes no new work.`);
  }

  async #page(filter: DeploymentFilter, order: 'asc' | 'desc', request: PageRequest): Promise<Page<Deployment>> {
    const { reader, pages } = this.#deps;
    return await pages.read(request, deploymentList(reader, { ...filter, order }), deploymentRecord);
  }
}

/** Whether the data was replaced for a newer version: before a failed restore it was returned. */
const wasRebuilt = ({ preparation, rollback_of, reason }: DeploymentRow): boolean =>
  preparation === 'restore' && rollback_of === null && reason !== 'restore';

/**
 * Finds the deployment to return to. A failed one returns to the last success. A successful one returns to the last
 * success of another revision, or of the same one if there is no other.
 */
async function rollbackTarget(tx: Tx, { id, definition_id, status, revision }: DeploymentRow) {
  const other =
    status === 'failed' ? undefined : await lastSuccess(tx, definition_id, { before: id, otherThan: revision });
  return other ?? (await lastSuccess(tx, definition_id, { before: id }));
}
