import { nextTime, parseSchedule } from '@hortus/template/notation/schedule';
import type { JobKind } from '../../jobs/job.ts';
import { rowJob } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
import { conflict, invalid, Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { BackupPlan } from '../definitions/public.ts';
import type { Instances } from '../instances/public.ts';
import type { Backups } from './service.ts';
import { completedOf, dropPlan, lockBackup, lockPlan, type PlanRow, setDue, writePlan } from './store.ts';

/** Job that runs due backups and verifications. */
export const BACKUPS_DUE = 'backups.due';

const wakePlan = waker(BACKUPS_DUE);

/** Schedules the next backup and verification of a definition, in the transaction that changes its settings. */
export async function planBackups(tx: Tx, { definitionId, accountId, spec, settings }: BackupPlan): Promise<void> {
  const schedule = scheduleOf('backup.schedule', settings.schedule, spec.backup.schedule_hint ?? 'daily');
  const verify = scheduleOf('backup.verify', settings.verify, 'weekly');
  if (schedule !== null && spec.backup.strategy === 'none')
    throw conflict('backup.schedule', 'no_backup', `the template ${spec.slug} declares no backup.`);
  if (schedule === null && settings.keep_last === null && settings.keep_days === null)
    return void (await dropPlan(tx, definitionId));
  const due_at = after(schedule, tx.now);
  const verify_due_at = schedule === null ? null : after(verify, tx.now);
  await writePlan(tx, {
    definition_id: definitionId,
    account_id: accountId,
    keep_last: settings.keep_last,
    keep_days: settings.keep_days,
    schedule,
    verify_schedule: schedule === null ? null : verify,
    due_at,
    verify_due_at,
  });
  for (const runAt of [due_at, verify_due_at]) if (runAt !== null) await wakePlan(tx, definitionId, runAt);
}

/** Resolves `on` and `off` to a schedule; null means never. */
function scheduleOf(field: string, input: string, on: string): string | null {
  if (input === 'off') return null;
  const text = input === 'on' ? on : input;
  if (parseSchedule(text) === undefined)
    throw invalid(field, 'must be on, off, hourly, daily, weekly or a cron line of five fields.');
  return text;
}

function after(text: string | null, now: number): number | null {
  const schedule = text === null ? undefined : parseSchedule(text);
  return (schedule && nextTime(schedule, now)) ?? null;
}

export interface DueDeps {
  readonly storage: Storage;
  readonly backups: Backups;
  readonly instances: Pick<Instances, 'lockLivingIn'>;
}

/**
 * Runs once per scheduled definition, when a backup or verification is due. The orders and the next due times are
 * written in one transaction; several missed runs are made up for once.
 */
export const dueJob = (deps: DueDeps): JobKind =>
  rowJob({
    storage: deps.storage,
    concurrency: 4,
    lock: lockPlan,
    async advance(tx, plan) {
      const next = [await backUp(tx, deps, plan), await proveNewest(tx, deps, plan)].filter((at) => at !== null);
      return next.length === 0 ? undefined : Math.min(...next);
    },
  });

async function backUp(tx: Tx, { backups, instances }: DueDeps, plan: PlanRow): Promise<number | null> {
  const { definition_id: definitionId, account_id: accountId, due_at, schedule } = plan;
  if (due_at === null || due_at > tx.now) return due_at;
  const next = after(schedule, tx.now);
  await setDue(tx, definitionId, { due_at: next });
  const instance = await instances.lockLivingIn(tx, accountId, definitionId);
  // A stopped instance has no new data.
  if (instance?.status === 'running') await orLeaveOut(() => backups.take(tx, instance, 'scheduled', null));
  return next;
}

async function proveNewest(tx: Tx, { backups }: DueDeps, plan: PlanRow): Promise<number | null> {
  const { definition_id: definitionId, verify_due_at, verify_schedule } = plan;
  if (verify_due_at === null || verify_due_at > tx.now) return verify_due_at;
  const next = after(verify_schedule, tx.now);
  await setDue(tx, definitionId, { verify_due_at: next });
  const newest = (await completedOf(tx, definitionId)).find(({ kind }) => kind === 'scheduled' || kind === 'manual');
  const row = newest && (await lockBackup(tx, newest.account_id, newest.id));
  if (row?.status === 'completed') await orLeaveOut(() => backups.prove(tx, row, null));
  return next;
}

/** Skips this run if the current state does not allow it; there is no caller to report to. */
async function orLeaveOut(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
