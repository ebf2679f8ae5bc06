import { newId } from '../../ids.ts';
import { begin } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Pinned } from '../definitions/deployable.ts';
import { deploymentLifecycle } from './lifecycle.ts';
import type { DeploymentRow } from './store.ts';

export interface Beginning {
  /** The deployment that this one undoes, if it is a rollback. */
  readonly rollbackOf: string | null;
  /** Whether the images are asked for again. */
  readonly renew?: boolean;
  /** Nobody ordered it: what runs has drifted. */
  readonly heals?: boolean;
  readonly actor: string | null;
  /** Which bytes it shall run, as the deployment that it goes back to has recorded them. */
  readonly images?: string;
  /** What has to be done before a daemon may take it. */
  readonly preparation?: DeploymentRow['preparation'];
  /** The backup that it can be undone with or, if it goes back with its data, the one that it brings back. */
  readonly backupId?: string | null;
  /** Made on the way to another server, which is that of the definition only when it has gone well. */
  readonly migration?: boolean;
  /** A daemon that went back by itself has given it one. */
  readonly id?: string;
}

/** A deployment of a pinned revision, waiting. The caller holds the definition. */
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
      images,
      backup_id: backupId,
      preparation,
      preparation_execution: null,
      prepared_at: null,
      cancel_requested_at: null,
      progress_at: null,
      log_lines: 0,
      claimed_by: null,
      log_source: null,
      log_told: 0,
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
