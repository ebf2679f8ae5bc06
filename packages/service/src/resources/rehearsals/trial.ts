import { dataWay } from '@hortus/template/upgrade/passage';
import { wakeAfterWork } from '../../jobs/wake.ts';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { ordererOf, orderSmoke, Trial, type TrialParts } from '../../trials/trial.ts';
import type { Backups } from '../backups/public.ts';
import { makeCurrent } from '../definitions/public.ts';
import type { Deployments } from '../deployments/public.ts';
import { volumesOf } from '../drafts/public.ts';
import type { Catalog } from '../templates/public.ts';
import { REHEARSE, recordRehearsal, rehearsalLifecycle } from './lifecycle.ts';
import { lockRehearsalById, noteRehearsal, type RehearsalRow, rehearsalsWaitingFor } from './store.ts';

export interface RehearsalParts extends TrialParts {
  readonly catalog: Pick<Catalog, 'known'>;
  readonly deployments: TrialParts['deployments'] & Pick<Deployments, 'deployCopy' | 'execute' | 'lastLines'>;
  readonly backups: Pick<Backups, 'bytesOf'>;
  /** Wakes the upgrade that waits for the result. */
  readonly ended: (tx: Tx, row: RehearsalRow) => Promise<void>;
}

type Reason = NonNullable<RehearsalRow['reason']>;
export type RehearsalTrial = Trial<RehearsalRow, Reason>;

/** Carries out rehearsals. */
export const rehearsalTrial = (parts: RehearsalParts): RehearsalTrial =>
  new Trial<RehearsalRow, Reason>(parts, {
    lock: lockRehearsalById,
    steps: {
      preparing: {
        awaits: ({ backup_execution }) => (backup_execution === null ? undefined : { execution: backup_execution }),
        failure: 'backup',
        proceed: (tx, row) => restore(parts, tx, row),
      },
      restoring: {
        awaits: ({ restore_deployment_id }) => ({ deployment: restore_deployment_id ?? '' }),
        failure: 'restore',
        proceed: (tx, row) =>
          row.change_revision === null
            ? test(parts, tx, row, { restored_at: tx.now })
            : change(parts, tx, row, row.change_revision),
      },
      applying: {
        awaits: ({ change_deployment_id }) => ({ deployment: change_deployment_id ?? '' }),
        failure: 'deployment',
        proceed: (tx, row) => test(parts, tx, row, { applied_at: tx.now }),
      },
      testing: { awaits: ({ smoke_id }) => ({ execution: smoke_id ?? '' }), failure: 'smoke' },
    },
    errors: {
      serverRemoved: 'The server of the copy was removed.',
      timeout: ({ status }) => `It did not finish in time (${status}).`,
    },
    refusal: 'refused',
    definitionOf: ({ copy_definition_id }) => copy_definition_id,
    deploymentsOf: ({ restore_deployment_id, change_deployment_id }) =>
      [restore_deployment_id, change_deployment_id].filter((id) => id !== null),
    volumesOf: (row) => [...new Set(templatesOf(parts, row).flatMap(volumesOf))],
    // A clone is kept for a while, also if its change failed, unless there was never data in it.
    keptUntil: ({ keep_until, restored_at }) => (restored_at === null ? 0 : (keep_until ?? 0)),
    async end(tx, row, verdict, actor) {
      const passed = verdict.reason === undefined;
      const set = { ...verdict, last_lines: await lastLines(parts, tx, row, verdict.reason), finished_at: tx.now };
      const ended = await transition(tx, rehearsalLifecycle, row, passed ? 'pass' : 'fail', { actor, set });
      await recordRehearsal(tx, ended, passed ? 'passed' : 'failed', actor);
      await parts.ended(tx, ended);
    },
    noteRelease: (tx, { id }, release_id) => noteRehearsal(tx, id, { release_id }),
    async noteCleared(tx, row) {
      await noteRehearsal(tx, row.id, { cleared_at: tx.now, updated_at: tx.now });
      await recordRehearsal(tx, row, 'removed', null);
    },
  });

export const wakeRehearsals = wakeAfterWork(REHEARSE, rehearsalsWaitingFor);

/** Deploys the running version with the data of the backup. */
async function restore({ deployments, backups }: RehearsalParts, tx: Tx, row: RehearsalRow): Promise<void> {
  const { account_id, backup_id, copy_definition_id, ignore_capacity } = row;
  const data = { backupId: backup_id, ignoreCapacity: ignore_capacity === 1 };
  const { id: restore_deployment_id } = await deployments.deployCopy(tx, ordererOf(row), copy_definition_id, data);
  const data_bytes = backup_id === null ? 0 : await backups.bytesOf(tx, account_id, backup_id);
  const set = { restore_deployment_id, data_bytes, backed_up_at: tx.now };
  await transition(tx, rehearsalLifecycle, row, 'restore', { actor: null, set });
}

/** Deploys the change. */
async function change(parts: RehearsalParts, tx: Tx, row: RehearsalRow, revision: number): Promise<void> {
  const { backup_id, copy_definition_id: definition_id, ignore_capacity } = row;
  await makeCurrent(tx, ordererOf(row), definition_id, { from: 1, to: revision });
  const body = { definition_id, ignore_capacity: ignore_capacity === 1 };
  const [from, to] = templatesOf(parts, row);
  const rebuilds = backup_id !== null && from && to && dataWay(from, to) === 'dump_restore';
  const backup = rebuilds ? { id: backup_id, rebuild: true } : undefined;
  const { id: change_deployment_id } = await parts.deployments.execute(tx, ordererOf(row), body, backup);
  const set = { restored_at: tx.now, change_deployment_id };
  await transition(tx, rehearsalLifecycle, row, 'apply', { actor: null, set });
}

async function test(parts: RehearsalParts, tx: Tx, row: RehearsalRow, columns: Partial<RehearsalRow>): Promise<void> {
  const smoke_id = await orderSmoke(parts, tx, row, row.copy_instance_id);
  await transition(tx, rehearsalLifecycle, row, 'test', { actor: null, set: { ...columns, smoke_id } });
}

/** Reads the last lines of the container that failed, if a deployment did. */
async function lastLines(
  { deployments }: RehearsalParts,
  tx: Tx,
  row: RehearsalRow,
  reason: RehearsalRow['reason'] | undefined,
) {
  const failed =
    reason === 'restore' ? row.restore_deployment_id : reason === 'deployment' ? row.change_deployment_id : null;
  return JSON.stringify(failed === null ? [] : await deployments.lastLines(tx, ordererOf(row), failed));
}

const templatesOf = ({ catalog }: RehearsalParts, { from_template_id, to_template_id }: RehearsalRow) =>
  [from_template_id, to_template_id].map((id) => catalog.known(id).spec);
