import type { JobKind } from '../../jobs/job.ts';
import { type NextStep, rowJob } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { type DaemonFacts, daemonsOf } from '../servers/public.ts';
import { type Decision, decide, type GivenUp, isFailure, SILENCE_MS, type TargetFacts } from './decision.ts';
import { auditTarget, daemonUpdateLifecycle, updateTargetLifecycle } from './lifecycle.ts';
import { lockUpdateById, type TargetRow, targetsOf, type UpdateRow } from './store.ts';

/** One job per update, until nothing of it is left to wait for. */
export const UPDATE_DAEMONS = 'daemon-updates.advance';

/** Fallback poll interval; normally a report or a connection wakes the job. */
const POLL_MS = 60_000;
/** Targets that one transaction changes at most, so that it stays short. */
const SLICE = 50;

export interface UpdateJobDeps {
  readonly storage: Storage;
  /** Notifies the daemon of a server, after the commit, of pending work. */
  readonly wake: (tx: Tx, serverId: string) => void;
}

export const wakeUpdate = waker(UPDATE_DAEMONS);

/** Carries out an update, one decision per transaction, so that it can be interrupted anywhere: its rows are its state. */
export const updateDaemonsJob = ({ storage, wake }: UpdateJobDeps): JobKind =>
  rowJob({ storage, lock: lockUpdateById, advance: (tx, row) => advance(tx, wake, row) });

async function advance(tx: Tx, wake: UpdateJobDeps['wake'], row: UpdateRow): Promise<NextStep> {
  const targets = await targetsOf(tx, row.id);
  const ids = targets.filter(({ finished_at }) => finished_at === null).map(({ server_id }) => server_id);
  const servers = new Map(
    (await daemonsOf(tx, { accountId: row.account_id, ids })).map((daemon) => [daemon.id, daemon]),
  );
  const facts = targets.map((target) => factsOf(target, servers.get(target.server_id)));
  const update = { ...row, maxFailed: row.max_failed, stageBegunAt: row.stage_begun_at, offlineMs: row.offline_ms };
  const decision = decide(update, facts, tx.now);
  const byId = new Map(targets.map((target) => [target.id, target]));
  for (const { id, why } of decision.giveUp.slice(0, SLICE)) {
    const target = byId.get(id);
    if (target) await giveUp(tx, row, target, why);
  }
  for (const id of decision.order) {
    const target = byId.get(id);
    if (target) await order(tx, wake, row, target, servers.get(target.server_id));
  }
  await move(tx, row, targets, decision.next);
  return decision.checkAt && Math.min(decision.checkAt, tx.now + POLL_MS);
}

const factsOf = (target: TargetRow, server: DaemonFacts | undefined): TargetFacts => ({
  id: target.id,
  stage: target.stage,
  status: target.status,
  accepted: target.accepted === 1,
  receivedAt: target.heard_at,
  server: server === undefined ? 'removed' : server.connected ? 'connected' : 'offline',
});

async function move(tx: Tx, row: UpdateRow, targets: readonly TargetRow[], next: Decision['next']): Promise<void> {
  const actor = row.created_by;
  switch (next) {
    case undefined:
      return;
    case 'advance':
      await transition(tx, daemonUpdateLifecycle, row, next, {
        actor,
        set: { stage: row.stage + 1, stage_begun_at: tx.now },
      });
      return;
    case 'halt':
      await transition(tx, daemonUpdateLifecycle, row, next, { actor, set: { error: failureOf(targets) } });
      return;
    case 'fail':
      await transition(tx, daemonUpdateLifecycle, row, next, {
        actor,
        set: { error: failureOf(targets), finished_at: tx.now },
      });
      return;
    case 'complete':
      await transition(tx, daemonUpdateLifecycle, row, next, { actor, set: { error: null, finished_at: tx.now } });
  }
}

/** Names the first failure and the number of others. */
function failureOf(targets: readonly TargetRow[]): string {
  const [first, ...others] = targets.filter(({ status, accepted }) => isFailure(status) && accepted === 0);
  if (!first) return 'Too many daemons failed.';
  const more = others.length === 0 ? '' : ` ${others.length} more failed.`;
  return `${first.server_name} (${first.status}): ${first.error ?? 'no reason was given.'}${more}`;
}

async function order(
  tx: Tx,
  wake: UpdateJobDeps['wake'],
  row: UpdateRow,
  target: TargetRow,
  server: DaemonFacts | undefined,
): Promise<void> {
  const actor = row.created_by;
  const set = { ordered_at: tx.now, heard_at: tx.now };
  const ordered = await transition(tx, updateTargetLifecycle, target, 'order', { actor, set });
  if (server?.capabilities.includes('update')) return wake(tx, target.server_id);
  // Another daemon has connected since the update was ordered.
  const error = `The daemon ${server?.version ?? ''} cannot update itself; install ${row.version} there by hand once.`;
  const refused = await transition(tx, updateTargetLifecycle, ordered, 'refuse', {
    actor,
    set: { reason: 'old_daemon', error, finished_at: tx.now },
  });
  await auditTarget(tx, refused, row.version);
}

async function giveUp(tx: Tx, row: UpdateRow, target: TargetRow, why: GivenUp): Promise<void> {
  const messages: Readonly<Record<GivenUp, string>> = {
    removed: 'The server was removed.',
    offline: `The server was offline for ${row.offline_ms / 60_000} minutes.`,
    silent: `The daemon has reported nothing for ${SILENCE_MS / 60_000} minutes.`,
  };
  const set = { reason: why, error: messages[why], finished_at: tx.now };
  await auditTarget(
    tx,
    await transition(tx, updateTargetLifecycle, target, 'give_up', { actor: null, set }),
    row.version,
  );
}
