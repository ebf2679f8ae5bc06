import { makeRoom } from '../quotas/stored-output.ts';
import { dropOldestOutputs } from '../resources/actions/retention.ts';
import { Actions } from '../resources/actions/service.ts';
import { Endings } from '../resources/backups/endings.ts';
import { planBackups } from '../resources/backups/schedule.ts';
import { Backups } from '../resources/backups/service.ts';
import { Footprints } from '../resources/capacity/public.ts';
import { losableNodes } from '../resources/clusters/nodes/nodes.ts';
import { hiddenValues } from '../resources/definitions/hidden-values.ts';
import { findDefinition } from '../resources/definitions/public.ts';
import { Definitions } from '../resources/definitions/service.ts';
import { healSoon } from '../resources/deployments/heal.ts';
import { Planning } from '../resources/deployments/planning.ts';
import { Preparations } from '../resources/deployments/preparation.ts';
import { requireFittingData, stopDeployments } from '../resources/deployments/queue.ts';
import { DeploymentReports, type DeploymentReportsDeps } from '../resources/deployments/reports.ts';
import { dropOldestLogs } from '../resources/deployments/retention.ts';
import { claimRoutes } from '../resources/deployments/route-claims/route-claims.ts';
import { Deployments } from '../resources/deployments/service.ts';
import type { DriftsDeps } from '../resources/instances/drift.ts';
import { livingOn, lockDrifted } from '../resources/instances/public.ts';
import { Instances } from '../resources/instances/service.ts';
import { requireSettled } from '../resources/migrations/settled.ts';
import { daemonMay } from '../resources/servers/connected-daemon.ts';
import type { Tx } from '../storage/storage.ts';
import type { SharedDependencies } from './dependencies.ts';
import { makeOrders } from './orders.ts';
import { makePlacements } from './placements.ts';
import type { ServersMade } from './servers.ts';

/** Notices to moves, which wait for their deployments and executions. */
export interface DeploymentNotices extends Pick<DeploymentReportsDeps, 'elsewhere'> {
  /** An instance was deployed on its server. */
  readonly deployed: (tx: Tx, instanceId: string) => Promise<void>;
  /** An execution on an instance has ended. */
  readonly acted: (tx: Tx, instanceId: string) => Promise<void>;
}

export type DeploymentsMade = ReturnType<typeof makeDeployments>;

/**
 * Creates definitions, deployments, instances and their executions. They depend on each other in a cycle (a deployment
 * waits for a backup, which is an action on an instance, which lists its deployments), so they are created together.
 */
export function makeDeployments(shared: SharedDependencies, made: ServersMade, notices: DeploymentNotices) {
  const { storage, vault, catalog, pages, quotas, wake, work, clock = Date.now } = shared;
  const roomForOutput = makeRoom(quotas, { outputs: dropOldestOutputs, logs: dropOldestLogs });
  const { reader } = storage;
  const { manifests, protect, servers, server, liveness } = made;
  const seen = (serverId: string) => liveness.seen(serverId);
  const secretsOf: DriftsDeps['secretsOf'] = (queries, owner) => hiddenValues(queries, vault, owner);

  const footprints = new Footprints((queries, ...args) => manifests.resolve(queries, ...args));
  const placements = makePlacements(reader, footprints);
  const planning = new Planning({ reader, server, manifests, nodes: losableNodes });
  const deployments = new Deployments({
    requireSettled,
    reader,
    pages,
    server,
    manifests,
    footprints,
    planning,
    requireBackup: (tx, ...args) => backups.requireDeclared(tx, ...args, 'backup_first'),
    backupFor: (tx, ...args) => backups.dataOf(tx, ...args),
    prepare: (tx, row) => preparations.begin(tx, row),
    wake,
    livingOn,
    holdServer: (tx, accountId, id) => servers.hold(tx, accountId, id),
    seen,
  });
  const preparations = new Preparations({
    storage,
    wake,
    async backUp(tx, row, matchingData) {
      const ordered = await backups.beforeDeployment(tx, row, matchingData);
      return ordered && { backupId: ordered.backup.id, executionId: ordered.execution.id };
    },
    async putBack(tx, row, matchingData) {
      const { backup, execution } = await backups.returnFor(tx, row, matchingData);
      return { backupId: backup.id, executionId: execution.id };
    },
    async claim(tx, { account_id, definition_id, revision }) {
      const definition = await findDefinition(tx, account_id, definition_id);
      if (!definition) return undefined;
      const { manifest } = await manifests.resolve(tx, account_id, definition_id, revision);
      return await claimRoutes(tx, definition, revision, manifest.routes);
    },
    execution: (queries, id) => actions.currentState(queries, id),
  });
  const instances: Instances = new Instances({
    reader,
    pages,
    catalog,
    clock,
    order: (tx, order) => actions.order(tx, order),
    withdraw: (tx, ...args) => actions.withdraw(tx, ...args),
    deploymentsOf: (principal, filter, request) => deployments.list(principal, filter, request),
  });
  const actions: Actions = new Actions({
    storage,
    pages,
    vault,
    catalog,
    instances,
    work,
    manifestOf: (...args) => manifests.resolve(...args),
    protect,
    lineTo: shared.connectionTo,
    backupEnded: (tx, ended) => endings.ended(tx, ended),
    makeRoom: roomForOutput,
    ended: async (tx, { id, instance_id }) => {
      await preparations.executionEnded(tx, id);
      if (instance_id !== null) await notices.acted(tx, instance_id);
    },
    secretsOf,
  });
  const backups = new Backups({
    reader,
    pages,
    vault,
    catalog,
    instances,
    emptyRestores: (queries, serverId) => daemonMay(queries, serverId, 'empty-restores'),
    order: (tx, order) => actions.order(tx, order),
  });
  const endings = new Endings(backups);
  const orders = makeOrders(shared, { instances, actions, secretsOf });
  const reports = makeReports(shared, made, { instances, notices, makeRoom: roomForOutput });
  const definitions = new Definitions({
    requireSettled,
    reader,
    requireRoom: (tx, ...args) => quotas.requireRoom(tx, ...args),
    pages,
    catalog,
    vault,
    work,
    serverStatus: (tx, ...args) => servers.statusInUse(tx, ...args),
    placements,
    resolveOrder: (queries, ...args) => manifests.resolveOrder(queries, ...args),
    planBackups,
    requireFittingData,
    stopDeployments: stopDeployments(wake),
    releaseAll: (tx, id, actor) => instances.releaseAll(tx, id, actor),
    async healLiving(tx, id) {
      const drifted = await lockDrifted(tx, id);
      if (drifted) await healSoon(tx, drifted);
    },
    keepAll: (tx, id, actor) => instances.keepAll(tx, id, actor),
  });
  return {
    placements,
    planning,
    deployments,
    preparations,
    instances,
    actions,
    backups,
    ...orders,
    reports,
    definitions,
  };
}

interface ReportParts extends Pick<DeploymentReportsDeps, 'makeRoom'> {
  readonly instances: Instances;
  readonly notices: DeploymentNotices;
}

/** Creates the handling of what daemons report about deployments. */
function makeReports(
  { storage: { reader }, vault, wake }: SharedDependencies,
  { manifests, servers, liveness }: ServersMade,
  { instances, notices, makeRoom }: ReportParts,
) {
  return new DeploymentReports({
    reader,
    makeRoom,
    vault,
    instances: {
      ensure: (tx, of) => instances.ensure(tx, of),
      report: (tx, scope, reported) => instances.report(tx, scope, reported),
      releaseAll: (tx, ...args) => instances.releaseAll(tx, ...args),
      async deployed(tx, instanceId, facts) {
        await instances.deployed(tx, instanceId, facts);
        await notices.deployed(tx, instanceId);
      },
    },
    manifests,
    hasPublishedDaemon: (...args) => servers.hasPublishedDaemon(...args),
    elsewhere: notices.elsewhere,
    wake,
    seen: (serverId) => liveness.seen(serverId),
  });
}
