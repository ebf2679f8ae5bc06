import type {
  Deployment,
  DeploymentCreate,
  DeploymentDetail,
  RollbackOrder,
} from '@hortus/contract/resources/deployments';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { requireFit } from '../capacity/fit.ts';
import { definitionById, type Pinned, pin, type RevisionRow } from '../definitions/deployable.ts';
import { requireSettled } from '../migrations/settled.ts';
import type { Standing } from '../servers/service.ts';
import { requireOpenTenant } from '../tenants/membership.ts';
import { type Beginning, beginDeployment } from './begin.ts';
import { LINES_IN_ANSWER } from './logs.ts';
import type { Planning } from './planning.ts';
import { bringsDataBack, cancelHeld, hasEnded, hold, scopeOf, type Wake, wakeNext } from './queue.ts';
import { deploymentRecord, lineRecord } from './record.ts';
import { Reservations, type ReservationsDeps } from './reservations.ts';
import { claimRoutes } from './route-claims.ts';
import {
  countDeployments,
  countOffered,
  type DeploymentFilter,
  type DeploymentRow,
  findDeployment,
  hasNews,
  lastSuccess,
  linesAfter,
  listDeployments,
  listOffered,
  restartClocks,
  serversWithNews,
  undoing,
} from './store.ts';

export type ServerStanding = (queries: Queries, accountId: string, id: string) => Promise<Standing | undefined>;

export interface DeploymentsDeps extends ReservationsDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly server: ServerStanding;
  /** Holds an order against the plan that it was given for. */
  readonly planning: Pick<Planning, 'requireFit'>;
  /** Refuses if what runs of a definition has no backup that could be made before a deployment. */
  readonly requireBackup: (tx: Tx, accountId: string, definitionId: string) => Promise<void>;
  /** The backup whose data belongs to a revision that is gone back to, made before a deployment; undefined if there is none. */
  readonly backupFor: (tx: Tx, undone: DeploymentRow, revision: RevisionRow) => Promise<string | undefined>;
  /** Begins what has to be done before a deployment. */
  readonly prepare: (tx: Tx, row: DeploymentRow) => Promise<DeploymentRow>;
  readonly wake: Wake;
  /** A daemon that asks is there. */
  readonly heard: (serverId: string) => void;
}

/** What is asked for: deployments are ordered, listed, rolled back and cancelled here. Daemons report elsewhere. */
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

  /** For a daemon, what it may take now and what it has taken; for people, what waits. */
  async pending(principal: Principal, serverId: string | undefined, request: PageRequest): Promise<Page<Deployment>> {
    const { reader, pages } = this.#deps;
    if (principal.kind !== 'server') {
      return this.#page({ accountId: principal.accountId, serverId, status: 'pending' }, 'asc', request);
    }
    const own = principal.serverId;
    this.#deps.heard(own);
    if (serverId !== undefined && serverId !== own) throw notFound('server');
    const page = await pages.read(request, {
      rows: (limit, offset) => listOffered(reader, own, { limit, offset }),
      count: (atMost) => countOffered(reader, own, atMost),
      countKey: `deployments offered ${own}`,
    });
    return { ...page, data: page.data.map(deploymentRecord) };
  }

  async read(principal: Principal, id: string, after: number): Promise<DeploymentDetail> {
    const { reader } = this.#deps;
    const row = await findDeployment(reader, scopeOf(principal), id);
    if (!row) throw notFound('deployment');
    const lines = await linesAfter(reader, id, after, LINES_IN_ANSWER + 1);
    return {
      ...deploymentRecord(row),
      logs: lines.slice(0, LINES_IN_ANSWER).map(lineRecord),
      logs_truncated: lines.length > LINES_IN_ANSWER,
    };
  }

  /** How one stands, for those who wait for it. */
  async find(queries: Queries, principal: Principal, id: string): Promise<Deployment> {
    const row = await findDeployment(queries, scopeOf(principal), id);
    if (!row) throw notFound('deployment');
    return deploymentRecord(row);
  }

  /** What undoes a deployment, and whether its daemon has gone back by itself; nothing while it stands. */
  async undoingOf(queries: Queries, { accountId }: Principal, id: string) {
    const row = await undoing(queries, accountId, id);
    return row && { id: row.id, byDaemon: row.created_by === row.server_id };
  }

  /** Says what keeps a definition from being deployed before a daemon would: outside the transaction, as it takes time. */
  async rehearse({ accountId }: Principal, { definition_id: id }: DeploymentCreate): Promise<void> {
    const { reader, manifests, server } = this.#deps;
    const definition = id === undefined ? undefined : await definitionById(reader, accountId, id);
    if (definition === undefined || definition.status === 'archived') return;
    const { manifest } = await manifests.resolve(reader, accountId, definition.id, definition.current_revision);
    requireFit(manifest, (await server(reader, accountId, definition.server_id))?.fingerprint ?? null);
  }

  /** For migrations: whether a revision fits on a server, beside what that has promised to others. */
  requireRoom(tx: Tx, pinned: Pinned): Promise<void> {
    return this.#reservations.requireRoom(tx, pinned);
  }

  /** `backupId`: one that was made for it already. */
  async execute(tx: Tx, principal: Principal, body: DeploymentCreate, backupId?: string | null): Promise<Deployment> {
    const field = 'definition_id';
    if (body.definition_id === undefined) throw invalid(field, 'is required.');
    const pinned = await pin(tx, principal.accountId, body.definition_id, { field });
    const { server_id } = pinned.definition;
    if (body.server_id !== undefined && body.server_id !== server_id)
      throw conflict('server_id', 'other_server', `the definition is planted on ${server_id}.`);
    if (!body.ignore_capacity) await this.#reservations.requireRoom(tx, pinned);
    await this.#deps.planning.requireFit(tx, pinned.definition, body);
    if (body.backup_first) await this.#deps.requireBackup(tx, principal.accountId, body.definition_id);
    return this.#order(tx, pinned, {
      rollbackOf: null,
      renew: body.pull ?? false,
      actor: actorOf(principal),
      preparation: body.backup_first ? 'backup' : null,
      backupId: backupId ?? null,
    });
  }

  /** A new deployment of what ran before; the one that it undoes stays as it is. */
  async rollback(tx: Tx, principal: Principal, id: string, order: RollbackOrder = {}): Promise<Deployment> {
    if (order.with_data) requirePermission(principal, 'backups:restore');
    const back = await this.#goBack(tx, principal, id, order.with_data ?? false);
    if (back) return back;
    throw conflict(
      'with_data',
      'no_backup',
      'no backup was made before that revision was left, or none that can be restored.',
    );
  }

  /** For upgrades: back to the revision and to the data of before; undefined if there is no backup to do that with. */
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
    if (!withData) return this.#order(tx, pinned, beginning);
    const backupId = await this.#deps.backupFor(tx, deployment, pinned.revision);
    if (backupId === undefined) return undefined;
    return this.#order(tx, pinned, { ...beginning, preparation: 'restore', backupId });
  }

  /** A deployment of what runs, with the bytes that it ran with, because it has drifted. Nobody has asked for it. */
  heal(tx: Tx, pinned: Pinned, images: string): Promise<Deployment> {
    return this.#order(tx, pinned, { rollbackOf: null, heals: true, images, actor: null });
  }

  /** Cancelling again what is cancelled, or about to be, changes nothing. */
  async cancel(tx: Tx, principal: Principal, id: string): Promise<Deployment> {
    const { deployment } = await hold(tx, scopeOf(principal), id);
    if (hasEnded(deployment)) {
      if (deployment.reason === 'cancelled') return deploymentRecord(deployment);
      throw conflict('status', 'final', `this deployment has ended already: ${deployment.status}.`, {
        status: deployment.status,
      });
    }
    if (deployment.status === 'pending' && bringsDataBack(deployment))
      throw conflict('status', 'restoring', 'its data is being put back; without it there would be nothing to run.');
    const cancelled = await cancelHeld(tx, this.#deps.wake, deployment, actorOf(principal));
    if (hasEnded(cancelled)) await wakeNext(tx, this.#deps.wake, cancelled);
    return deploymentRecord(cancelled);
  }

  /** A daemon that was away gets the whole deadline again. For those who notice that it is back. */
  async serverReturned(tx: Tx, serverId: string): Promise<void> {
    await restartClocks(tx, serverId);
  }

  /** Whether a daemon should look, because something is there to begin or to stop: for those who can wake it. */
  hasWorkFor(queries: Queries, serverId: string): Promise<boolean> {
    return hasNews(queries, serverId);
  }

  /** All servers whose daemon should look; some may find that another deployment comes first. */
  serversWithWork(queries: Queries): Promise<string[]> {
    return serversWithNews(queries);
  }

  async #order(tx: Tx, pinned: Pinned, beginning: Beginning): Promise<Deployment> {
    const { definition, revision } = pinned;
    await this.#requireServer(tx, definition.account_id, definition.server_id);
    await requireOpenTenant(tx, definition.tenant_id);
    await requireSettled(tx, definition.id);
    const { routes } = (await this.#deps.manifests.resolve(tx, definition.account_id, definition.id, revision.number))
      .manifest;
    await claimRoutes(tx, definition, revision.number, routes);
    const row = await beginDeployment(tx, pinned, beginning);
    this.#deps.wake(tx, row.server_id);
    return deploymentRecord(await this.#deps.prepare(tx, row));
  }

  /** An offline server is fine: the deployment waits for it. */
  async #requireServer(tx: Tx, accountId: string, id: string): Promise<void> {
    const standing = await this.#deps.server(tx, accountId, id);
    if (!standing) throw conflict('server_id', 'removed', 'the server of the definition has been removed.');
    const { status } = standing;
    if (status === 'disabled' || status === 'draining')
      throw conflict('server_id', status, `the server of the definition is ${status} and takes no new work.`);
  }

  async #page(filter: DeploymentFilter, order: 'asc' | 'desc', request: PageRequest): Promise<Page<Deployment>> {
    const { reader, pages } = this.#deps;
    const { accountId, serverId = '', definitionId = '', instanceId = '', status = '' } = filter;
    const page = await pages.read(request, {
      rows: (limit, offset) => listDeployments(reader, filter, order, { limit, offset }),
      count: (atMost) => countDeployments(reader, filter, atMost),
      countKey: `deployments ${accountId} ${serverId} ${definitionId} ${instanceId} ${status}`,
    });
    return { ...page, data: page.data.map(deploymentRecord) };
  }
}

/**
 * What a failed one goes back to is simply what last went well. One that did not fail has put its own revision in place,
 * and that is not where anybody wants to go back to, unless nothing else ever ran.
 */
async function rollbackTarget(tx: Tx, { id, definition_id, status, revision }: DeploymentRow) {
  const other =
    status === 'failed' ? undefined : await lastSuccess(tx, definition_id, { before: id, otherThan: revision });
  return other ?? (await lastSuccess(tx, definition_id, { before: id }));
}
