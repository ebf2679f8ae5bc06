import { builtIn, type Settling } from '@hortus/contract/actions/built-in-actions';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { type Columns, forgetHealth } from './facts.ts';
import { instanceLifecycle } from './lifecycle.ts';
import { type InstanceRow, lockInstance } from './store.ts';

/** Applies the start of a built-in action. */
export async function applyStart(tx: Tx, instanceId: string, slug: Settling, actor: string | null): Promise<void> {
  const row = await lockInstance(tx, instanceId);
  if (!row || row.status === 'released') return;
  if (slug === builtIn.restart) await transition(tx, instanceLifecycle, row, 'restart', { actor });
  // Starting a running instance changes nothing.
  if (slug === builtIn.start && row.status !== 'running')
    await transition(tx, instanceLifecycle, row, 'starting', { actor });
}

/** Applies a completed built-in action. Later reports override it. */
export async function applyEnd(tx: Tx, instanceId: string, slug: Settling, actor: string | null): Promise<void> {
  const row = await lockInstance(tx, instanceId);
  if (!row || row.status === 'released') return;
  const { move, before, set } = settlements[slug](row, tx.now);
  const ready = before === undefined ? row : await transition(tx, instanceLifecycle, row, before, { actor });
  const moved = await transition(tx, instanceLifecycle, ready, move, { actor, set });
  if (slug !== builtIn.start || row.status !== 'running') await forgetHealth(tx, moved, actor);
}

interface Settlement {
  readonly move: 'run' | 'stop' | 'release';
  /** A move that was missed because the start of the action was not reported. */
  readonly before?: 'restart' | undefined;
  readonly set: Columns;
}

const settlements: Readonly<Record<Settling, (row: InstanceRow, now: number) => Settlement>> = {
  [builtIn.start]: (row, now) => ({ move: 'run', set: row.status === 'running' ? {} : { started_at: now } }),
  [builtIn.stop]: () => ({ move: 'stop', set: {} }),
  [builtIn.restart]: (row, now) => ({
    move: 'run',
    before: row.status === 'running' ? 'restart' : undefined,
    set: { started_at: now },
  }),
  [builtIn.release]: () => ({ move: 'release', set: { container_id: null, drift: '[]', drifted_at: null } }),
};
