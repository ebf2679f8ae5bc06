import type { Manifest } from '@hortus/contract/template/manifest';
import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import { append } from '../../outbox/append.ts';
import { Problem } from '../../problem.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { type Instances, livingWithNamesOn, type NamedRow } from '../instances/public.ts';
import { manifestIn } from './record.ts';
import type { Backups } from './service.ts';
import { type BackupRow, completedOf, lockBackup } from './store.ts';

/** Job that restores an instance whose node is lost. */
export const NODE_LOST = 'backups.node_lost';

/** Time for a lost node to come back; the node may only be restarting, and a restore loses what was written since the backup. */
export const RETURN_MS = 60_000;

export interface LostNode {
  readonly server_id: string;
  readonly account_id: string;
  readonly node_id: string;
  readonly hostname: string;
}

interface Loss extends LostNode {
  readonly definition_id: string;
  /** Whether a leader has begun; then the restore is completed even if the node is back. */
  readonly begun?: boolean;
}

/** Looks at what ran on a lost node once it had time to come back. */
export async function restoreLater(tx: Tx, node: LostNode, uids: readonly string[]): Promise<void> {
  const living = await livingWithNamesOn(tx, node.server_id);
  for (const { definition_id, container_name } of living)
    if (uids.includes(container_name)) await enqueueLoss(tx, { ...node, definition_id }, tx.now + RETURN_MS);
}

/** Orders it again: the leader that began was lost, and the next one continues or finds it done. */
export const restoreAgain = (tx: Tx, loss: Loss): Promise<void> => enqueueLoss(tx, { ...loss, begun: true }, tx.now);

const enqueueLoss = (tx: Tx, loss: Loss, runAt: number): Promise<void> =>
  enqueue(tx, { kind: NODE_LOST, key: `${loss.definition_id} ${loss.node_id}`, payload: loss, runAt });

export interface LostNodeDeps {
  readonly storage: Storage;
  readonly backups: Pick<Backups, 'elsewhere'>;
  readonly instances: Pick<Instances, 'lockLivingIn'>;
  readonly manifestOf: (
    queries: Queries,
    accountId: string,
    definitionId: string,
    revision: number,
  ) => Promise<{ readonly manifest: Manifest }>;
  readonly isLost: (queries: Queries, serverId: string, nodeId: string) => Promise<boolean>;
}

/** Runs once for each instance of a lost node. The order is written with the end of the job, so there is one for each loss. */
export const lostNodeJob = (deps: LostNodeDeps): JobKind => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) =>
    deps.storage.write(async (tx) => {
      await restoreLost(tx, deps, job.payload as Loss);
      return complete(tx);
    }),
});

async function restoreLost(tx: Tx, deps: LostNodeDeps, loss: Loss): Promise<void> {
  const { backups, instances, manifestOf, isLost } = deps;
  const { server_id, account_id, definition_id, node_id } = loss;
  if (!loss.begun && !(await isLost(tx, server_id, node_id))) return;
  const instance = await instances.lockLivingIn(tx, account_id, definition_id);
  if (!instance || instance.server_id !== server_id || instance.revision === null) return;
  try {
    const { manifest } = await manifestOf(tx, account_id, definition_id, instance.revision);
    if (!manifest.components.some(isRestored)) return;
    const newest = (await completedOf(tx, definition_id)).find((row) => isUsable(row, server_id));
    const backup = newest && (await lockBackup(tx, account_id, newest.id));
    if (!backup) return await skip(tx, instance, loss, 'it has no verified backup on this cluster');
    const { execution } = await backups.elsewhere(tx, backup, instance, node_id);
    const data_until = manifestIn(backup)?.taken_at ?? null;
    await notify(tx, 'audit.node_restore_ordered', instance, loss, {
      backup_id: backup.id,
      execution_id: execution.id,
      data_until,
      message: `Data written after ${data_until} is missing; the former volumes remain on node ${loss.hostname}.`,
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await skip(tx, instance, loss, error.message);
  }
}

const isRestored = ({ on_node_loss, storage }: Manifest['components'][number]): boolean =>
  on_node_loss === 'restore' && storage.some(({ volume }) => volume !== undefined);

/** A safety backup has data that was replaced on purpose. */
const isUsable = ({ kind, verified_at, verify_error, server_id }: BackupRow, serverId: string): boolean =>
  kind !== 'safety' && verified_at !== null && verify_error === null && server_id === serverId;

const skip = (tx: Tx, instance: NamedRow, loss: Loss, reason: string): Promise<void> =>
  notify(tx, 'audit.node_restore_skipped', instance, loss, {
    reason,
    message: `The instance waits for node ${loss.hostname}: ${reason}.`,
  });

function notify(tx: Tx, type: `audit.${string}`, instance: NamedRow, loss: Loss, more: object): Promise<void> {
  const { server_id, node_id, hostname } = loss;
  const data = { instance_uid: instance.instance_uid, server_id, node_id, hostname, ...more };
  const about = { accountId: instance.account_id, resourceType: 'instance', resourceId: instance.id } as const;
  return append(tx, { type, ...about, actor: null, data });
}
