import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { append } from '../../outbox/append.ts';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { migrationLifecycle } from './lifecycle.ts';
import { clear, type Held, type HeldPart } from './parts.ts';
import type { MigrationResources } from './resources.ts';
import { addLine, closeParts, type MigrationRow, setPart } from './store.ts';

/** Time for the target to confirm that nothing runs there before the source is started anyway. */
const TARGET_TIMEOUT_MS = 60_000;
const CLEAR_WITHIN_MS = 30 * 24 * 3_600_000;

/** Aborts a migration: cancels running work, and restarts what was stopped on the source. */
export async function turnBack(
  tx: Tx,
  resources: MigrationResources,
  { row, parts }: Held,
  { reason, error, actor }: { reason: string; error: string; actor: string | null },
): Promise<MigrationRow> {
  await resources.transfers.cancelAll(tx, row.id, actor);
  for (const { part } of parts)
    if (part.deployment_id !== null) await resources.deployments.cancel(tx, part.deployment_id, actor);
  const turned = await transition(tx, migrationLifecycle, row, 'turn_back', {
    actor,
    set: { reason, error, progress_at: tx.now },
  });
  await addLine(tx, row.id, 'clear_target', `Rolling back: ${error}`);
  return turned;
}

/**
 * Rolls back. The target is cleared first, so that nothing runs on both sides; a disconnected target is not waited for.
 */
export async function goBack(tx: Tx, resources: MigrationResources, held: Held): Promise<void> {
  const { row, parts } = held;
  const moved = parts.filter(({ part, instance }) => part.instance_id !== null && instance);
  let isClear = true;
  for (const part of moved) if (!(await clearTarget(tx, resources, row, part, false))) isClear = false;
  const target = await resources.server(tx, row.account_id, row.to_server_id);
  const slow = target?.connected === true && tx.now - row.progress_at < TARGET_TIMEOUT_MS;
  if (!isClear && slow) return;
  if (row.stopped_at !== null && !(await restart(tx, resources, row, moved))) return;
  for (const part of moved) await clearTarget(tx, resources, row, part, true);
  await end(tx, resources, held);
}

/** Whether nothing is left on the target. A deployment there ends before it is removed. */
async function clearTarget(
  tx: Tx,
  resources: MigrationResources,
  row: MigrationRow,
  held: HeldPart,
  must: boolean,
): Promise<boolean> {
  const { part, instance } = held;
  if (!instance) return true;
  if (part.clear_id !== null) {
    const execution = await resources.executions.find(tx, part.clear_id);
    return execution === undefined || !['pending', 'sent', 'running'].includes(execution.status);
  }
  const deployment = part.deployment_id === null ? undefined : await resources.deployments.find(tx, part.deployment_id);
  const isOver = deployment === undefined || deployment.status === 'success' || deployment.status === 'failed';
  if (!isOver && !must) return false;
  const { transfers } = resources;
  const reached =
    deployment !== undefined || (await transfers.of(tx, row.id)).some(({ started_at }) => started_at !== null);
  // Nothing was transferred or deployed.
  if (!reached) return true;
  const id = await clear(tx, resources, {
    instance,
    serverId: row.to_server_id,
    containers: await resources.executions.containersOf(tx, row.account_id, instance.id, { elsewhere: true }),
    startWithinMs: CLEAR_WITHIN_MS,
  });
  await setPart(tx, part, { clear_id: id });
  Object.assign(part, { clear_id: id });
  await addLine(tx, row.id, 'clear_target', 'Removing what was created on the target');
  return false;
}

/** Whether everything that was stopped runs again, or has failed to start. */
async function restart(
  tx: Tx,
  resources: MigrationResources,
  row: MigrationRow,
  parts: readonly HeldPart[],
): Promise<boolean> {
  let done = true;
  for (const { definition, instance } of parts) {
    if (!instance || definition.status === 'archived') continue;
    const start = await resources.executions.latest(tx, instance.id, builtIn.start);
    const ordered = start !== undefined && start.created_at >= row.progress_at ? start : undefined;
    if (!ordered) {
      await resources.instances.start(tx, definition.id, instance.id, row.created_by);
      await addLine(tx, row.id, 'start_source', `Starting ${definition.name}`);
      done = false;
    } else if (['pending', 'sent', 'running'].includes(ordered.status)) done = false;
    else if (ordered.status !== 'completed')
      await addLine(tx, row.id, 'start_source', `${definition.name} did not start: ${ordered.error}`);
  }
  return done;
}

async function end(tx: Tx, resources: MigrationResources, { row }: Held): Promise<void> {
  const { account_id, tenant_id, created_by: actor, stopped_at } = row;
  if (tenant_id !== null) await resources.tenants.settle(tx, account_id, tenant_id, undefined, actor);
  await closeParts(tx, row.id);
  await addLine(tx, row.id, 'start_source', 'Running on the source again');
  const downtime_ms = stopped_at === null ? 0 : tx.now - stopped_at;
  const failed = await transition(tx, migrationLifecycle, row, 'fail', {
    actor,
    set: { downtime_ms, finished_at: tx.now },
  });
  await append(tx, {
    type: 'audit.migration_failed',
    accountId: account_id,
    resourceType: 'migration',
    resourceId: row.id,
    actor,
    data: migrationLifecycle.eventData(failed),
  });
}
