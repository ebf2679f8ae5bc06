import { makeRoom } from '../quotas/stored-output.ts';
import { dropOldestOutputs } from '../resources/actions/retention.ts';
import { Actions } from '../resources/actions/service.ts';
import { Endings } from '../resources/backups/endings.ts';
import { restoreLater } from '../resources/backups/lost-node.ts';
import { planBackups } from '../resources/backups/schedule.ts';
import { Backups } from '../resources/backups/service.ts';
import { Footprints } from '../resources/capacity/public.ts';
import { ClusterNodes, losableNodes } from '../resources/clusters/nodes/nodes.ts';
import { secretValues } from '../resources/definitions/deployable.ts';
import { containerNamesOn, requireUnbound } from '../resources/definitions/public.ts';
import { Definitions } from '../resources/definitions/service.ts';
import { healSoon } from '../resources/deployments/heal.ts';
import { Planning } from '../resources/deployments/planning.ts';
import { Preparations } from '../resources/deployments/preparation.ts';
import { requireFittingData, stopDeployments } from '../resources/deployments/queue.ts';
import { DeploymentReports, type DeploymentReportsDeps } from '../resources/deployments/reports.ts';
import { dropOldestLogs } from '../resources/deployments/retention.ts';
import { Deployments } from '../resources/deployments/service.ts';
import { Drifts, type DriftsDeps } from '../resources/instances/drift.ts';
import { Pauses } from '../resources/instances/of-tenant.ts';
import { InstanceOrders } from '../resources/instances/orders.ts';
import { livingOn, livingWithNamesOn, lockDrifted } from '../resources/instances/public.ts';
import { Instances } from '../resources/instances/service.ts';
import { requireSettled } from '../resources/migrations/settled.ts';
import { Prunes } from '../resources/servers/prune.ts';
import type { Tx } from '../storage/storage.ts';
import type { SharedDependencies } from './dependencies.ts';
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
  const heard = (serverId: string) => liveness.heard(serverId);
  const secretsOf: DriftsDeps['secretsOf'] = async (queries, owner) =>
    (await secretValues(queries, vault, owner)).map(({ value }) => value);

  const footprints = new Footprints((queries, ...of) => manifests.resolve(queries, ...of));
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
    requireBackup: (tx, ...of) => backups.requireDeclared(tx, ...of, 'backup_first'),
    backupFor: (tx, ...of) => backups.dataOf(tx, ...of),
    prepare: (tx, row) => preparations.begin(tx, row),
    wake,
    livingOn,
    holdServer: (tx, accountId, id) => servers.hold(tx, accountId, id),
    heard,
  });
  const preparations = new Preparations({
    storage,
    wake,
    async backUp(tx, row, ownData) {
      const ordered = await backups.beforeDeployment(tx, row, ownData);
      return ordered && { backupId: ordered.backup.id, executionId: ordered.execution.id };
    },
    async putBack(tx, row, ownData) {
      const { backup, execution } = await backups.returnFor(tx, row, ownData);
      return { backupId: backup.id, executionId: execution.id };
    },
    execution: (queries, id) => actions.standing(queries, id),
  });
  const instances: Instances = new Instances({
    reader,
    pages,
    catalog,
    clock,
    order: (tx, order) => actions.order(tx, order),
    withdraw: (tx, ...of) => actions.withdraw(tx, ...of),
    deploymentsOf: (principal, filter, request) => deployments.list(principal, filter, request),
  });
  const actions: Actions = new Actions({
    storage,
    pages,
    vault,
    catalog,
    instances,
    work,
    manifestOf: (...of) => manifests.resolve(...of),
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
    order: (tx, order) => actions.order(tx, order),
  });
  const endings = new Endings(backups);
  const drifts = new Drifts({ reader, instances, secretsOf, heal: healSoon });
  const orders = new InstanceOrders({
    requireSettled,
    requireUnbound,
    instances,
    catalog,
    order: (tx, order) => actions.order(tx, order),
    done: (tx, order) => actions.done(tx, order),
  });
  const pauses = new Pauses({
    lastWanted: (...of) => actions.lastWanted(...of),
    order: (tx, order) => actions.order(tx, order),
    withdraw: (tx, ...of) => actions.withdraw(tx, ...of),
  });
  const nodes = new ClusterNodes({
    reader,
    order: (tx, order) => actions.orderOnServer(tx, order),
    lost: restoreLater,
  });
  const prunes = new Prunes({
    livingOn: async (queries, id) => {
      const there = (await livingWithNamesOn(queries, id)).map(({ container_name }) => container_name);
      return [...new Set([...there, ...(await containerNamesOn(queries, id))])];
    },
    order: (tx, order) => actions.orderOnServer(tx, order),
  });
  const reports = new DeploymentReports({
    reader,
    makeRoom: roomForOutput,
    vault,
    instances: {
      ensure: (tx, of) => instances.ensure(tx, of),
      report: (tx, scope, reported) => instances.report(tx, scope, reported),
      releaseAll: (tx, ...of) => instances.releaseAll(tx, ...of),
      async deployed(tx, instanceId, facts) {
        await instances.deployed(tx, instanceId, facts);
        await notices.deployed(tx, instanceId);
      },
    },
    manifests,
    hasPublishedDaemon: (...of) => servers.hasPublishedDaemon(...of),
    elsewhere: notices.elsewhere,
    wake,
    heard,
  });
  const definitions = new Definitions({
    requireSettled,
    reader,
    requireRoom: (tx, ...of) => quotas.requireRoom(tx, ...of),
    pages,
    catalog,
    vault,
    work,
    serverStatus: (tx, ...of) => servers.statusInUse(tx, ...of),
    placements,
    resolveOrder: (queries, ...of) => manifests.resolveOrder(queries, ...of),
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
    drifts,
    orders,
    pauses,
    prunes,
    nodes,
    reports,
    definitions,
  };
}
