import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { append } from '../../outbox/append.ts';
import { Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { migrationLifecycle } from './lifecycle.ts';
import { volumesOf } from './manifest-storage.ts';
import { type Arrival, arrivalOf, clear, type Held, waiting } from './parts.ts';
import type { MigrationResources } from './resources.ts';
import { addLine, closeParts, type MigrationRow, setPart } from './store.ts';

/** Why a migration is rolled back: a code for programs, a sentence for people. */
export class TurnBack extends Problem {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super('VALIDATION_ERROR', message, { reason });
    this.reason = reason;
  }
}

type Step = (tx: Tx, resources: MigrationResources, held: Held) => Promise<void>;

const RELEASE_WITHIN_MS = 30 * 24 * 3_600_000;

/**
 * One step per state, each in one transaction that orders work and advances the state. If killed before the commit, the
 * step runs again; if after, the next step checks the ordered work. A step that has to wait changes nothing; one that
 * cannot continue throws TurnBack.
 */
export const forwardSteps: Partial<Record<MigrationRow['status'], Step>> = {
  pending: (tx, resources, held) => copyAll(tx, resources, held, 'stage', 'copy'),

  async copying(tx, resources, held) {
    const { row, parts } = held;
    const staged = (await resources.transfers.of(tx, row.id)).filter(({ mode }) => mode === 'stage');
    if (staged.some(waiting)) return;
    for (const { storage, error, status } of staged)
      if (status !== 'completed') await addLine(tx, row.id, 'first_copy', `${storage} is copied later: ${error}`);
    const bytes = staged.reduce((sum, item) => sum + item.bytes, 0);
    await requireDisk(tx, resources, row, bytes);
    if (staged.length > 0) await addLine(tx, row.id, 'first_copy', `${bytes} bytes are on the target`);
    for (const { part, definition } of parts)
      if (part.instance_id !== null) await resources.instances.stop(tx, definition.id, row.created_by);
    await go(tx, row, 'stop', { stopped_at: tx.now });
    await addLine(tx, row.id, 'stop_source', 'Stopping');
  },

  async stopping(tx, resources, held) {
    for (const { part, instance } of held.parts) {
      if (part.instance_id === null) continue;
      const stop = await resources.executions.latest(tx, part.instance_id, builtIn.stop);
      if (stop && ['failed', 'timeout', 'cancelled'].includes(stop.status))
        throw new TurnBack('stop', `The instance could not be stopped on the source: ${stop.error ?? stop.status}`);
      if (instance?.status !== 'stopped') return;
    }
    await addLine(tx, held.row.id, 'stop_source', 'Stopped');
    await copyAll(tx, resources, held, 'import', 'move');
  },

  async moving(tx, resources, held) {
    const { row, parts } = held;
    const copies = (await resources.transfers.of(tx, row.id)).filter(({ mode }) => mode === 'import');
    const failed = copies.find(({ status }) => status === 'failed' || status === 'cancelled');
    if (failed) throw new TurnBack('transfer', `${failed.storage} could not be copied: ${failed.error}`);
    if (copies.some(waiting)) return;
    for (const { storage, bytes, carried_bytes } of copies)
      await addLine(tx, row.id, 'last_copy', `${storage}: ${bytes} bytes, ${carried_bytes} of them transferred now`);
    for (const { part, definition } of parts) {
      if (part.instance_id === null) continue;
      const revision = await resources.definitions.revision(tx, definition.id, part.revision ?? 0);
      const { routes } = await resources.manifest(tx, definition, revision.number);
      const pinned = { definition, revision };
      const { id } = await refusable(() =>
        resources.deployments.begin(tx, pinned, row.to_server_id, routes, row.created_by),
      );
      await setPart(tx, part, { deployment_id: id });
      await addLine(tx, row.id, 'start_target', `Deployment ${id} of ${definition.name}`);
    }
    await go(tx, row, 'start', {});
  },

  async starting(tx, resources, held) {
    const { row, parts } = held;
    for (const { part, definition } of parts) {
      if (part.deployment_id === null) continue;
      const deployment = await resources.deployments.find(tx, part.deployment_id);
      if (deployment?.status === 'failed')
        throw new TurnBack('deployment', `${definition.name} did not start on the target: ${deployment.error}`);
      if (deployment?.status !== 'success') return;
    }
    await switchOver(tx, resources, held);
    await addLine(tx, row.id, 'switch_server', `${parts.length} definitions moved to ${row.to_server_id}`);
  },

  async switched(tx, resources, held) {
    const { row, parts } = held;
    if (tx.now < (row.release_at ?? 0)) return;
    const left: string[] = [];
    for (const { part, instance } of parts) {
      if (part.instance_id === null || !instance) continue;
      if (part.clear_id === null) {
        const id = await clear(tx, resources, {
          instance,
          serverId: row.from_server_id,
          containers: arrivalOf(part)?.left ?? [instance.container_name],
          startWithinMs: RELEASE_WITHIN_MS,
        });
        await setPart(tx, part, { clear_id: id });
        left.push(id);
        continue;
      }
      const execution = await resources.executions.find(tx, part.clear_id);
      if (execution && ['pending', 'sent', 'running'].includes(execution.status)) left.push(execution.id);
      else if (execution?.status !== 'completed')
        await addLine(tx, row.id, 'release_source', `The source may not be fully cleaned up: ${execution?.error}`);
    }
    // A removed source is not waited for; its orders stay pending.
    const source = await resources.server(tx, row.account_id, row.from_server_id);
    if (left.length > 0 && source) return;
    await addLine(tx, row.id, 'release_source', 'Nothing is left on the source');
    await go(tx, row, 'release', { finished_at: tx.now });
  },
};

async function copyAll(
  tx: Tx,
  resources: MigrationResources,
  held: Held,
  mode: 'stage' | 'import',
  move: 'copy' | 'move',
) {
  const { row, parts } = held;
  for (const { part, definition } of parts) {
    if (part.revision === null) continue;
    for (const { storage, volume } of volumesOf(await resources.manifest(tx, definition, part.revision))) {
      const { account_id, from_server_id, to_server_id, created_by } = row;
      const between = { account_id, from_server_id, to_server_id, migration_id: row.id, mode };
      const what = { definition_id: definition.id, instance_uid: definition.container_name, storage, volume };
      await resources.transfers.order(tx, { ...between, ...what }, created_by);
      await addLine(tx, row.id, mode === 'stage' ? 'first_copy' : 'last_copy', `${definition.name}: ${storage}`);
    }
  }
  await go(tx, row, move, {});
}

/** Chunks and volume exist side by side until the migration is over. */
async function requireDisk(tx: Tx, resources: MigrationResources, row: MigrationRow, bytes: number): Promise<void> {
  const free = await resources.capacity.diskFree(tx, row.account_id, row.to_server_id);
  if (free !== null && bytes > free)
    throw new TurnBack('capacity', `The target has ${free} bytes of free disk space; ${bytes} are needed.`);
}

/** Switches all definitions of the migration to the target in one transaction. */
async function switchOver(tx: Tx, resources: MigrationResources, { row, parts }: Held): Promise<void> {
  const { account_id, tenant_id, from_server_id, to_server_id, created_by: actor } = row;
  for (const { part, definition } of parts) {
    await resources.definitions.relocate(tx, definition, to_server_id, actor);
    await resources.deployments.leave(tx, definition.id, from_server_id);
    const arrival = arrivalOf(part);
    if (part.instance_id !== null && arrival) {
      // Looked up before the instance has the names that it has on the target.
      const left = await resources.executions.containersOf(tx, account_id, part.instance_id);
      await setPart(tx, part, { arrival: JSON.stringify({ ...arrival, left } satisfies Arrival) });
      await resources.instances.relocate(tx, part.instance_id, to_server_id, arrival);
    }
    await append(tx, {
      type: 'audit.definition_migrated',
      accountId: account_id,
      resourceType: 'definition',
      resourceId: definition.id,
      actor,
      data: { definition_id: definition.id, migration_id: row.id, from_server_id, to_server_id },
    });
  }
  if (tenant_id !== null) await resources.tenants.settle(tx, account_id, tenant_id, to_server_id, actor);
  const stood = parts.some(({ part }) => part.instance_id !== null);
  const downtime_ms = stood && row.stopped_at !== null ? tx.now - row.stopped_at : 0;
  const release_at = stood ? tx.now + resources.graceMs : tx.now;
  await closeParts(tx, row.id);
  await go(tx, row, 'switch', { switched_at: tx.now, downtime_ms, release_at });
}

async function go(
  tx: Tx,
  row: MigrationRow,
  move: 'copy' | 'stop' | 'move' | 'start' | 'switch' | 'release',
  set: Partial<Pick<MigrationRow, 'stopped_at' | 'switched_at' | 'downtime_ms' | 'release_at' | 'finished_at'>>,
): Promise<void> {
  const changed = await transition(tx, migrationLifecycle, row, move, {
    actor: row.created_by,
    set: { ...set, progress_at: tx.now },
  });
  if (move !== 'switch' && move !== 'release') return;
  await append(tx, {
    type: `audit.migration_${changed.status}`,
    accountId: row.account_id,
    resourceType: 'migration',
    resourceId: row.id,
    actor: row.created_by,
    data: migrationLifecycle.eventData(changed),
  });
}

/** Rolls back if another resource refuses. */
async function refusable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) throw new TurnBack(String(error.details?.reason ?? 'refused'), error.message);
    throw error;
  }
}
