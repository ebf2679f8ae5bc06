import { idPattern } from '@hortus/contract/records/ids';
import type { ScheduledReport } from '@hortus/contract/resources/actions';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { begin, transition } from '../../state/transition.ts';
import { RunAgain, type Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { NamedRow } from '../instances/public.ts';
import { executionLifecycle } from './lifecycle.ts';
import { type Request, requestContext } from './request.ts';
import { claimed, finalMoves, type Results } from './results.ts';
import { countScheduled, type ExecutionRow, lockExecution } from './store.ts';

export interface ScheduledDeps {
  readonly vault: Pick<Vault, 'encrypt'>;
  readonly results: Results;
}

const HOUR_MS = 3_600_000;
/** Allows ten jobs that each run every minute. A daemon that reports more is broken or hostile and would fill the disk. */
export const MAX_PER_HOUR = 600;

/** Clamps a time to the past: the daemon's clock may be wrong, but the run has happened. */
const past = (time: string | number, now: number): number => {
  const at = typeof time === 'number' ? time : Date.parse(time);
  return Number.isFinite(at) && at >= 0 ? Math.min(at, now) : now;
};

/** Records a scheduled job that a daemon has already run. Idempotent. The caller has locked the instance. */
export async function recordScheduled(
  tx: Tx,
  deps: ScheduledDeps,
  principal: Principal,
  instance: NamedRow,
  report: ScheduledReport,
): Promise<ExecutionRow> {
  const id = report.execution_id;
  if (!new RegExp(idPattern('execution')).test(id)) throw invalid('execution_id', 'is not the id of an execution.');
  const known = await lockExecution(tx, id);
  if (known) {
    if (known.instance_id !== instance.id) throw notFound('execution');
    return known;
  }
  if ((await countScheduled(tx, instance.id, tx.now - HOUR_MS)) >= MAX_PER_HOUR)
    throw conflict(
      'execution_id',
      'too_many_runs',
      `an instance reports at most ${MAX_PER_HOUR} scheduled runs an hour.`,
      {
        limit: MAX_PER_HOUR,
      },
    );
  const actor = actorOf(principal);
  const due = past(report.due_at, tx.now);
  const started = past(report.started_at, tx.now);
  const request: Request = {
    type: 'job',
    command: [],
    params: {},
    instance: instance.container_name,
    container: instance.container_name,
  };
  const { account_id, server_id } = instance;
  const row = {
    id,
    account_id,
    instance_id: instance.id,
    server_id,
    slug: report.component,
    name: report.component,
    kind: 'scheduled' as const,
    request: await deps.vault.encrypt(tx, account_id, JSON.stringify(request), requestContext(id)),
    params: '{}',
    exit_code: null,
    output: null,
    output_truncated: 0 as const,
    error: null,
    outcome: null,
    timeout_ms: 0,
    deadline_at: tx.now,
    paused_at: null,
    sent_epoch: null,
    sent_journal: null,
    cancel_requested_at: null,
    created_by: actor,
    created_at: due,
    updated_at: tx.now,
    sent_at: null,
    started_at: null,
    finished_at: null,
  };
  // If a concurrent report inserts it first, the retried transaction finds it.
  const born = await begin(tx, executionLifecycle, row, 'create', actor, () => new RunAgain());
  const set = { sent_at: due, started_at: started };
  const sent = await transition(tx, executionLifecycle, born, 'send', { actor, set });
  const status = claimed(report) as keyof typeof finalMoves;
  return await deps.results.end(tx, sent, finalMoves[status], {
    actor,
    exitCode: report.exit_code,
    output: report.output,
    truncated: report.output_truncated,
    error: report.error ?? (status === 'completed' ? null : 'The job failed.'),
    outcome: report.outcome === 'unknown' ? 'unknown' : 'known',
  });
}
