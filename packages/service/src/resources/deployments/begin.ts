import { traceParent } from '@hortus/tracing/span';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Pinned } from '../definitions/public.ts';
import { deploymentLifecycle } from './lifecycle.ts';
import type { DeploymentRow } from './store.ts';

export interface Beginning {
  /** The deployment that this rollback undoes; null otherwise. */
  readonly rollbackOf: string | null;
  /** Whether to pull the images again. */
  readonly renew?: boolean;
  /** Ordered automatically because the instance has drifted. */
  readonly heals?: boolean;
  readonly actor: string | null;
  /** Image digests to run, recorded by the deployment that a rollback returns to. */
  readonly images?: string;
  /** Work to finish before a daemon may claim it. */
  readonly preparation?: DeploymentRow['preparation'];
  /** The backup taken before it, or the one that a rollback with data restores. */
  readonly backupId?: string | null;
  /** Belongs to a migration; the definition moves to the target server only after success. */
  readonly migration?: boolean;
  /** Id assigned by a daemon that rolled back on its own. */
  readonly id?: string;
}

/** Creates a pending deployment of a pinned revision. The caller has locked the definition. */
export const beginDeployment = (
  tx: Tx,
  { definition, revision }: Pinned,
  {
    rollbackOf,
    actor,
    renew = false,
    heals = false,
    migration = false,
    images = '[]',
    preparation = null,
    backupId = null,
    id = newId('deployment'),
  }: Beginning,
): Promise<DeploymentRow> =>
  begin(
    tx,
    deploymentLifecycle,
    {
      id,
      account_id: definition.account_id,
      definition_id: definition.id,
      server_id: definition.server_id,
      instance_id: null,
      kind: migration ? 'migrate' : kindOf(definition, { rollbackOf, renew, heals }),
      rollback_of: rollbackOf,
      revision: revision.number,
      template_id: revision.template_id,
      spec_hash: revision.spec_hash,
      reason: null,
      error: null,
      gap_ms: null,
      last_lines: null,
      images,
      backup_id: backupId,
      preparation,
      preparation_execution: null,
      prepared_at: null,
      cancel_requested_at: null,
      progress_at: null,
      log_lines: 0,
      claimed_by: null,
      interrupted_at: null,
      log_source: null,
      log_told: 0,
      trace_parent: traceParent() ?? null,
      created_by: actor,
      created_at: tx.now,
      updated_at: tx.now,
      started_at: null,
      finished_at: null,
    },
    'create',
    actor,
  );

function kindOf(
  { test_id }: Pinned['definition'],
  { rollbackOf, renew, heals }: Pick<Beginning, 'rollbackOf' | 'renew' | 'heals'>,
): DeploymentRow['kind'] {
  if (heals) return 'heal';
  if (test_id !== null) return 'test';
  if (rollbackOf !== null) return 'rollback';
  return renew ? 'renew' : 'deploy';
}
