import {
  type BuiltIn,
  builtIn,
  isAboutBackup,
  isBuiltIn,
  isSettling,
  type Settling,
} from '@hortus/contract/actions/built-in-actions';
import type { ActionReport } from '@hortus/contract/resources/actions';
import { CHANNEL_TOPIC } from '../../channel/waker.ts';
import type { MakeRoom } from '../../quotas/stored-output.ts';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { keep } from '../../storage/truncated-text.ts';
import { GRACE_MS, setAlarm } from './deadlines.ts';
import { type ExecutionMove, executionLifecycle } from './lifecycle.ts';
import { type ExecutionRow, lockPendingOfInstance } from './store.ts';

/** Bytes of output stored per execution. */
export const KEPT_BYTES = 1_048_576;

/** Outcome of an execution that concerns a backup. */
export interface EndedBackupAction {
  readonly accountId: string;
  readonly slug: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly completed: boolean;
  /** Whether the daemon said how it ended. */
  readonly outcome: 'known' | 'unknown';
  readonly error: string | null;
  /** Reported by the daemon; untrusted, so only used if it matches the expected schema. */
  readonly result: unknown;
  readonly actor: string | null;
}

export interface ResultsDeps {
  readonly makeRoom: MakeRoom;
  /** Applies a built-in action to its instance. */
  readonly instances: {
    began(tx: Tx, instanceId: string, slug: Settling, actor: string | null): Promise<void>;
    settled(tx: Tx, instanceId: string, slug: Settling, actor: string | null): Promise<void>;
  };
  /** Called in the same transaction when an action on a backup has ended. */
  readonly backupEnded: (tx: Tx, ended: EndedBackupAction) => Promise<void>;
  /** Called in the same transaction when a built-in action has ended, whatever its outcome. */
  readonly ended?: (tx: Tx, execution: Pick<ExecutionRow, 'id' | 'instance_id'>) => Promise<void>;
}

/** Outcome of an execution as far as known. Texts of daemons are already masked; see `report-masking.ts`. */
export interface Ending {
  readonly actor: string | null;
  readonly exitCode?: number | null | undefined;
  readonly output?: string | null | undefined;
  readonly truncated?: boolean | undefined;
  readonly error?: string | null | undefined;
  readonly outcome?: 'known' | 'unknown';
  readonly result?: unknown;
}

type Final = 'complete' | 'fail' | 'expire' | 'cancel';

const MAX_ERROR_BYTES = 8_192;
const MAX_EXIT_CODE = 2 ** 31 - 1;

/** Applies reports to executions. The caller has locked the rows. */
export class Results {
  readonly #deps: ResultsDeps;
  constructor(deps: ResultsDeps) {
    this.#deps = deps;
  }

  async start(tx: Tx, row: ExecutionRow, actor: string | null): Promise<ExecutionRow> {
    const deadline_at = tx.now + row.timeout_ms + GRACE_MS;
    const started = await transition(tx, executionLifecycle, row, 'start', {
      actor,
      set: { started_at: tx.now, deadline_at, paused_at: null },
    });
    await setAlarm(tx, row.id, deadline_at);
    if (isSettling(row.slug) && row.instance_id !== null)
      await this.#deps.instances.began(tx, row.instance_id, row.slug, actor);
    return started;
  }

  async end(tx: Tx, row: ExecutionRow, move: Final, ending: Ending): Promise<ExecutionRow> {
    const { actor, outcome = 'known' } = ending;
    const output = keep(ending.output, KEPT_BYTES);
    const output_bytes = Buffer.byteLength(output.text ?? '');
    await this.#deps.makeRoom(tx, row.account_id, output_bytes);
    const ended = await transition(tx, executionLifecycle, row, move satisfies ExecutionMove, {
      actor,
      set: {
        // The start message may have been lost; the send time is known.
        started_at: move === 'complete' ? (row.started_at ?? row.sent_at) : row.started_at,
        finished_at: tx.now,
        exit_code: exitCode(ending.exitCode),
        output: output.text,
        output_bytes,
        output_truncated: output.truncated || ending.truncated ? 1 : 0,
        error: keep(ending.error, MAX_ERROR_BYTES).text,
        outcome,
        paused_at: null,
      },
    });
    if (isAboutBackup(row.slug)) await this.#afterBackup(tx, ended, ending);
    if (isBuiltIn(row.slug)) await this.#afterBuiltIn(tx, ended, row.slug, actor);
    return ended;
  }

  #afterBackup(tx: Tx, row: ExecutionRow, { actor, result, outcome = 'known' }: Ending): Promise<void> {
    const { account_id: accountId, slug, error, status } = row;
    const params = JSON.parse(row.params) as Record<string, unknown>;
    return this.#deps.backupEnded(tx, {
      accountId,
      slug,
      params,
      completed: status === 'completed',
      outcome,
      error,
      result,
      actor,
    });
  }

  async #afterBuiltIn(tx: Tx, row: ExecutionRow, slug: BuiltIn, actor: string | null): Promise<void> {
    if (row.status === 'completed' && isSettling(slug) && row.instance_id !== null) {
      await this.#deps.instances.settled(tx, row.instance_id, slug, actor);
      if (slug === builtIn.release) await this.#dropWaiting(tx, row.instance_id, actor);
    }
    await this.#deps.ended?.(tx, row);
    // Send what waited for it.
    tx.notify(CHANNEL_TOPIC, row.server_id);
  }

  /** Fails pending actions of a released instance. */
  async #dropWaiting(tx: Tx, instanceId: string, actor: string | null): Promise<void> {
    for (const row of await lockPendingOfInstance(tx, instanceId))
      await this.end(tx, row, 'fail', { actor, error: 'The instance was released.' });
  }
}

/** Maps a report to a status. A daemon that ended a command itself gives the reason in `outcome`. */
export function claimed(report: ActionReport): ExecutionRow['status'] {
  if (report.status !== 'failed') return report.status;
  return report.outcome === 'timeout' || report.outcome === 'cancelled' ? report.outcome : 'failed';
}

export const finalMoves = {
  completed: 'complete',
  failed: 'fail',
  timeout: 'expire',
  cancelled: 'cancel',
} as const;

/** Drops exit codes outside the column's range. */
const exitCode = (input: number | null | undefined): number | null =>
  input === null || input === undefined || !Number.isSafeInteger(input) || Math.abs(input) > MAX_EXIT_CODE
    ? null
    : input;
