import type { BackupSettings } from '@hortus/contract/resources/backup-settings';
import type { Canonical } from '@hortus/template/canonical-form';
import { nextTime, parseSchedule } from '@hortus/template/schedule';
import type { JobKind } from '../../jobs/job.ts';
import { conflict, invalid, Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Instances } from '../instances/service.ts';
import type { Backups } from './service.ts';
import { completedOf, dropPlan, duePlans, lockBackup, lockPlan, setDue, writePlan } from './store.ts';

/** The job that looks for what is due. */
export const BACKUPS_DUE = 'backups.due';
const EVERY_MS = 15_000;
const AT_ONCE = 100;

export interface PlanFor {
  readonly definitionId: string;
  readonly accountId: string;
  readonly spec: Pick<Canonical, 'slug' | 'backup'>;
  readonly settings: BackupSettings;
}

/** Puts down when a definition is backed up next. In the transaction that says so. */
export async function planBackups(tx: Tx, { definitionId, accountId, spec, settings }: PlanFor): Promise<void> {
  const schedule = scheduleOf('backup.schedule', settings.schedule, spec.backup.schedule_hint ?? 'daily');
  const verify = scheduleOf('backup.verify', settings.verify, 'weekly');
  if (schedule !== null && spec.backup.strategy === 'none')
    throw conflict('backup.schedule', 'no_backup', `the template ${spec.slug} does not say what a backup consists of.`);
  if (schedule === null && settings.keep_last === null && settings.keep_days === null)
    return void (await dropPlan(tx, definitionId));
  await writePlan(tx, {
    definition_id: definitionId,
    account_id: accountId,
    keep_last: settings.keep_last,
    keep_days: settings.keep_days,
    schedule,
    verify_schedule: schedule === null ? null : verify,
    due_at: after(schedule, tx.now),
    verify_due_at: schedule === null ? null : after(verify, tx.now),
  });
}

/** As something with times, or null for never. */
function scheduleOf(field: string, given: string, on: string): string | null {
  if (given === 'off') return null;
  const text = given === 'on' ? on : given;
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
  readonly clock?: () => number;
}

/** That something was ordered and when it is due next are written in one go; what was missed is made up for once. */
export const dueJob = (deps: DueDeps): JobKind => ({
  every: EVERY_MS,
  concurrency: 1,
  run: async ({ signal }) => {
    const { storage, clock = Date.now } = deps;
    for (const column of ['due_at', 'verify_due_at'] as const) {
      for (const plan of await duePlans(storage.reader, column, clock(), AT_ONCE)) {
        if (signal.aborted) return 'done';
        await storage.write((tx) => (column === 'due_at' ? backUp : proveNewest)(tx, deps, plan.definition_id));
      }
    }
    return 'done';
  },
});

async function backUp(tx: Tx, { backups, instances }: DueDeps, definitionId: string): Promise<void> {
  const plan = await lockPlan(tx, definitionId);
  if (plan?.due_at == null || plan.due_at > tx.now) return;
  await setDue(tx, definitionId, { due_at: after(plan.schedule, tx.now) });
  const instance = await instances.lockLivingIn(tx, plan.account_id, definitionId);
  // What does not run has nothing new to keep.
  if (instance?.status !== 'running') return;
  await orLeaveOut(() => backups.take(tx, instance, 'scheduled', null));
}

async function proveNewest(tx: Tx, { backups }: DueDeps, definitionId: string): Promise<void> {
  const plan = await lockPlan(tx, definitionId);
  if (plan?.verify_due_at == null || plan.verify_due_at > tx.now) return;
  await setDue(tx, definitionId, { verify_due_at: after(plan.verify_schedule, tx.now) });
  const newest = (await completedOf(tx, definitionId)).find(({ kind }) => kind === 'scheduled' || kind === 'manual');
  const row = newest && (await lockBackup(tx, newest.account_id, newest.id));
  if (row?.status === 'completed') await orLeaveOut(() => backups.prove(tx, row, null));
}

/** What the present state does not allow is left out this time; nobody is there to be told. */
async function orLeaveOut(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
