import { type Principal, standInFor } from '../../identity/principal.ts';
import { type NextStep, POLL_MS } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { WorkStates } from '../../trials/work-state.ts';
import { makeCurrent } from '../definitions/public.ts';
import { recordUpgrade, upgradeLifecycle } from './lifecycle.ts';
import { noteUpgrade, type UpgradeRow } from './store.ts';

/** One job per upgrade being applied, until it has ended. */
export const APPLY = 'upgrades.apply';
export const wakeUpgrade = waker(APPLY);
/** One job per batch of upgrades applied one after another. */
export const APPLY_ALL = 'upgrades.apply_all';

export interface StepDeps extends WorkStates {
  readonly rehearsal: (
    queries: Queries,
    accountId: string,
    id: string,
  ) => Promise<{ readonly ended: boolean; readonly passed: boolean; readonly error?: string | null | undefined }>;
  /** Orders the backup that the template declares; undefined if it declares none. */
  readonly backup: (
    tx: Tx,
    principal: Principal,
    row: UpgradeRow,
  ) => Promise<{ readonly backupId: string; readonly executionId: string } | undefined>;
  /** Orders the deployment of the current revision, after its data was rebuilt from the backup if that is needed. */
  readonly deploy: (tx: Tx, principal: Principal, row: UpgradeRow) => Promise<string>;
  /** Finds the rollback of a deployment and whether the daemon made it on its own. */
  readonly undoingOf: (
    queries: Queries,
    principal: Principal,
    id: string,
  ) => Promise<{ readonly id: string; readonly byDaemon: boolean } | undefined>;
  readonly watchMs: (queries: Queries, row: UpgradeRow) => Promise<number>;
  /** Whether the daemon is connected; undefined if the server was removed. */
  readonly server: (queries: Queries, row: UpgradeRow) => Promise<{ readonly connected: boolean } | undefined>;
  /** Whether the newer version has a job with irreversible changes to data. */
  readonly hasIrreversibleJob: (row: UpgradeRow) => boolean;
  /** Whether the newer version gets its data from a dump, so that the older one cannot read what is on the server. */
  readonly rebuildsData: (row: UpgradeRow) => boolean;
  readonly isUnhealthy: (queries: Queries, row: UpgradeRow) => Promise<boolean>;
  /** Looks for the next upgrade after one to a required stop. */
  readonly followNewVersions: (tx: Tx, row: UpgradeRow) => Promise<void>;
  /** Orders a rollback with data; undefined if there is no restorable backup. */
  readonly returnWithData: (tx: Tx, principal: Principal, row: UpgradeRow) => Promise<string | undefined>;
}

export interface Advance {
  readonly row: UpgradeRow;
  readonly next: NextStep;
}

/** Polling interval for a server that is offline when the watch period ends. */
const AWAY_MS = 10_000;
/** Time for a daemon to report what it saw at the end of the watch period. */
const HEARSAY_MS = 5_000;

/**
 * Advances an upgrade by one step. All its state is in the row; `withoutBackup` only concerns the first step, which is taken in
 * the transaction of the order.
 */
export async function advance(
  deps: StepDeps,
  tx: Tx,
  row: UpgradeRow,
  { withoutBackup = false }: { readonly withoutBackup?: boolean } = {},
): Promise<Advance> {
  const principal = standInFor(row.account_id, row.applied_by);
  const server = await deps.server(tx, row);
  if (!server) return fail(tx, row, 'server_removed', 'The server of this upgrade has been removed.');
  switch (row.step) {
    case null:
      if (withoutBackup) return deploy(deps, tx, principal, row);
      return row.rehearsal_id === null
        ? begin(deps, tx, principal, row)
        : proceed(tx, row, { step: 'upgrade_rehearse' });
    case 'upgrade_rehearse':
      return afterRehearsal(deps, tx, principal, row);
    case 'upgrade_backup':
      return afterBackup(deps, tx, principal, row);
    case 'upgrade_deploy':
      return afterDeployment(deps, tx, principal, row);
    case 'upgrade_watch':
      return whileWatched(deps, tx, principal, row, server.connected);
    case 'upgrade_return':
      return afterReturn(deps, tx, principal, row);
  }
}

async function afterRehearsal(deps: StepDeps, tx: Tx, principal: Principal, row: UpgradeRow): Promise<Advance> {
  const { ended, passed, error } = await deps.rehearsal(tx, row.account_id, row.rehearsal_id ?? '');
  if (!ended) return { row, next: tx.now + POLL_MS };
  if (!passed) return fail(tx, row, 'rehearsal', `Nothing was changed: the rehearsal failed: ${error}`);
  return begin(deps, tx, principal, row);
}

async function begin(deps: StepDeps, tx: Tx, principal: Principal, row: UpgradeRow): Promise<Advance> {
  const backup = await deps.backup(tx, principal, row);
  if (!backup && deps.rebuildsData(row))
    return fail(tx, row, 'backup', 'Nothing was changed: the running version declares no backup to restore from.');
  if (!backup) return deploy(deps, tx, principal, row);
  return proceed(tx, row, {
    step: 'upgrade_backup',
    backup_id: backup.backupId,
    backup_execution: backup.executionId,
  });
}

async function afterBackup(deps: StepDeps, tx: Tx, principal: Principal, row: UpgradeRow): Promise<Advance> {
  const backup = await deps.execution(tx, principal, row.backup_execution ?? '');
  if (!backup.ended) return { row, next: tx.now + POLL_MS };
  if (!backup.succeeded) {
    const way = deps.rebuildsData(row) ? '' : '\nApply it with without_backup to upgrade without a backup.';
    return fail(tx, row, 'backup', `Nothing was changed: the backup failed: ${backup.error}${way}`);
  }
  return deploy(deps, tx, principal, row);
}

async function deploy(deps: StepDeps, tx: Tx, principal: Principal, row: UpgradeRow): Promise<Advance> {
  const { from_revision: from, revision: to, definition_id } = row;
  if (from === null || to === null) throw new Error(`The upgrade ${row.id} has no revision.`);
  if (!(await makeCurrent(tx, principal, definition_id, { from, to })))
    return fail(tx, row, 'changed', 'Nothing was deployed: the definition was changed meanwhile.');
  return proceed(tx, row, { step: 'upgrade_deploy', deployment_id: await deps.deploy(tx, principal, row) });
}

async function afterDeployment(deps: StepDeps, tx: Tx, principal: Principal, row: UpgradeRow): Promise<Advance> {
  const deployment = await deps.deployment(tx, principal, row.deployment_id ?? '');
  if (!deployment.ended) return { row, next: tx.now + POLL_MS };
  if (deployment.succeeded) {
    const watch = await deps.watchMs(tx, row);
    if (watch === 0) return finish(deps, tx, row);
    const watch_until = deployment.endedAt + watch + HEARSAY_MS;
    return { ...(await proceed(tx, row, { step: 'upgrade_watch', watch_until })), next: watch_until };
  }
  if (mayHaveChangedData(deps, row, deployment.reason))
    return goBackWithData(deps, tx, principal, row, deployment.error);
  // The daemon runs the previous revision again; make it current.
  await restoreRevision(tx, principal, row);
  return fail(tx, row, 'deployment', deployment.error ?? deployment.reason ?? 'The deployment failed.');
}

async function whileWatched(
  deps: StepDeps,
  tx: Tx,
  principal: Principal,
  row: UpgradeRow,
  connected: boolean,
): Promise<Advance> {
  const undoing = await deps.undoingOf(tx, principal, row.deployment_id ?? '');
  if (undoing) {
    const end = await deps.deployment(tx, principal, undoing.id);
    if (!end.ended) return { row, next: tx.now + POLL_MS };
    const { byDaemon, id: return_id } = undoing;
    const known = { ...row, return_id };
    if (!byDaemon) return fail(tx, known, 'rolled_back', 'The deployment was rolled back.');
    if (end.succeeded)
      return fail(tx, known, 'unhealthy', `The instance became unhealthy; revision ${row.from_revision} runs again.`);
    if (end.reason === 'irreversible') return goBackWithData(deps, tx, principal, row, end.error);
    return fail(tx, known, 'return', `The instance became unhealthy, and the rollback failed: ${end.error}`);
  }
  const watchedUntil = row.watch_until ?? 0;
  if (watchedUntil > tx.now) return { row, next: watchedUntil };
  // An offline daemon may have rolled back without having reported it yet.
  if (!connected) return { row, next: tx.now + AWAY_MS };
  // A daemon does not roll back by itself what was restored for a deployment.
  if (deps.rebuildsData(row) && (await deps.isUnhealthy(tx, row)))
    return goBackWithData(deps, tx, principal, row, 'The instance became unhealthy.');
  return finish(deps, tx, row);
}

async function finish(deps: StepDeps, tx: Tx, row: UpgradeRow): Promise<Advance> {
  const applied = await transition(tx, upgradeLifecycle, row, 'finish', { actor: null, set: { finished_at: tx.now } });
  await recordUpgrade(tx, applied, 'applied', row.applied_by);
  await deps.followNewVersions(tx, applied);
  await wakeBatch(tx, applied);
  return { row: applied, next: undefined };
}

async function goBackWithData(
  deps: StepDeps,
  tx: Tx,
  principal: Principal,
  row: UpgradeRow,
  error: string | null,
): Promise<Advance> {
  const return_id = row.backup_id === null ? undefined : await deps.returnWithData(tx, principal, row);
  if (return_id !== undefined) return proceed(tx, row, { step: 'upgrade_return', return_id, error });
  const why =
    row.backup_id === null
      ? 'the template declares no backup.'
      : `the template declares no restore for backup ${row.backup_id}, or the backup was deleted.`;
  return fail(tx, row, 'irreversible', `${error ?? 'The upgrade failed.'}\nThe data was not restored: ${why}`);
}

/** Reasons for which a daemon cannot tell whether its jobs ran. */
const uncertain: ReadonlySet<string | null> = new Set(['deadline', 'engine', 'internal', 'lost']);

const mayHaveChangedData = (deps: StepDeps, row: UpgradeRow, reason: string | null): boolean =>
  reason === 'irreversible' ||
  // The daemon has already returned the previous data if it could not restore the dump.
  (deps.rebuildsData(row) && reason !== 'restore') ||
  (uncertain.has(reason) && deps.hasIrreversibleJob(row));

async function afterReturn(deps: StepDeps, tx: Tx, principal: Principal, row: UpgradeRow): Promise<Advance> {
  const end = await deps.deployment(tx, principal, row.return_id ?? '');
  if (!end.ended) return { row, next: tx.now + POLL_MS };
  const why = row.error ?? 'The instance became unhealthy.';
  const { from_revision: from, backup_id } = row;
  if (!end.succeeded) {
    const how =
      end.reason === 'restore'
        ? `${end.error}\nThe data is kept in backup ${backup_id}.`
        : `The data was restored, but revision ${from} failed to start: ${end.error}`;
    return fail(tx, row, 'return', `${why}\n${how}`);
  }
  await restoreRevision(tx, principal, row);
  const { succeeded } = await deps.deployment(tx, principal, row.deployment_id ?? '');
  const reason = succeeded ? 'unhealthy' : 'deployment';
  return fail(tx, row, reason, `${why}\nRevision ${from} runs again with its previous data.`);
}

/** Skips this if another revision became current meanwhile. */
async function restoreRevision(tx: Tx, principal: Principal, row: UpgradeRow): Promise<void> {
  const { from_revision: to, revision: from, definition_id } = row;
  if (from !== null && to !== null) await makeCurrent(tx, principal, definition_id, { from, to });
}

type Progress = Partial<
  Pick<
    UpgradeRow,
    | 'step'
    | 'from_revision'
    | 'revision'
    | 'backup_id'
    | 'backup_execution'
    | 'deployment_id'
    | 'return_id'
    | 'watch_until'
    | 'error'
  >
>;

async function proceed(tx: Tx, row: UpgradeRow, progress: Progress): Promise<Advance> {
  const { from_revision, revision } = row;
  const columns = { from_revision, revision, ...progress, updated_at: tx.now };
  await noteUpgrade(tx, row.id, columns);
  return { row: { ...row, ...columns }, next: tx.now + POLL_MS };
}

async function fail(
  tx: Tx,
  row: UpgradeRow,
  reason: NonNullable<UpgradeRow['reason']>,
  error: string,
): Promise<Advance> {
  const { from_revision, revision, return_id } = row;
  const set = { from_revision, revision, return_id, reason, error, finished_at: tx.now };
  const failed = await transition(tx, upgradeLifecycle, row, 'fail', { actor: null, set });
  await recordUpgrade(tx, failed, 'failed', row.applied_by);
  await wakeBatch(tx, failed);
  return { row: failed, next: undefined };
}

/** Continues a batch after one of its upgrades has ended. */
async function wakeBatch(tx: Tx, { batch }: UpgradeRow): Promise<void> {
  if (batch !== null) await waker(APPLY_ALL)(tx, batch);
}

/** Fails an upgrade that another resource refuses to continue or roll back. */
export const refuse = (tx: Tx, row: UpgradeRow, error: string): Promise<Advance> =>
  row.deployment_id === null
    ? fail(tx, row, 'refused', error)
    : fail(tx, row, 'return', `The upgrade failed, and the data was not restored: ${error}`);
