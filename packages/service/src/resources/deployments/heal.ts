import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import { Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { findDefinition, lockDefinition, pin } from '../definitions/public.ts';
import { type InstanceRow as DriftedRow, lockDrifted, setHealed } from '../instances/public.ts';
import { healedNow, nextHealAt } from './heal-pauses.ts';
import { lastEnded, lastSuccess, unfinishedOf } from './store.ts';

/** One job per drifted instance that is to be healed. */
export const HEAL = 'instance.heal';

/** Retry interval while another deployment runs or a deployment is not possible. */
const LATER_MS = 60_000;

export interface HealDeps {
  readonly storage: Storage;
  /** Orders a deployment of the running revision with these images; throws a Problem if none may be ordered now. */
  readonly order: (tx: Tx, pinned: Awaited<ReturnType<typeof pin>>, images: string) => Promise<unknown>;
}

interface Drifted {
  readonly id: string;
  readonly account_id: string;
  readonly definition_id: string;
  readonly heals: number;
  readonly healed_at: number | null;
}

/** Enqueues healing if the definition enables it, in the transaction that records the drift. */
export async function healSoon(tx: Tx, instance: Drifted): Promise<void> {
  const definition = await findDefinition(tx, instance.account_id, instance.definition_id);
  if (!definition?.heal) return;
  const payload = { instance_id: instance.id, definition_id: definition.id, account_id: definition.account_id };
  await enqueue(tx, { kind: HEAL, key: instance.id, payload, runAt: Math.max(tx.now, nextHealAt(instance)) });
}

/** Orders deployments of a drifted instance, with growing pauses, until the drift is gone or healing is disabled. */
export const healJob = (deps: HealDeps): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) => {
    const { account_id, definition_id } = job.payload as { account_id: string; definition_id: string };
    return deps.storage.write(async (tx) => {
      const again = await heal(deps, tx, account_id, definition_id);
      return complete(tx, again === undefined ? 'done' : { again });
    });
  },
});

/** Returns when to check again; undefined when nothing is left to do. */
async function heal({ order }: HealDeps, tx: Tx, accountId: string, definitionId: string): Promise<number | undefined> {
  const definition = await lockDefinition(tx, accountId, definitionId);
  const instance = definition && (await lockDrifted(tx, definitionId));
  if (!instance || !definition.heal || definition.status === 'archived') return undefined;
  if (!isWantedUp(instance) || (await unfinishedOf(tx, definitionId)).length > 0) return tx.now + LATER_MS;
  // The data may be newer than the code; an operator has to decide.
  if ((await lastEnded(tx, definitionId))?.reason === 'irreversible') return tx.now + LATER_MS;
  const due = nextHealAt(instance);
  if (due > tx.now) return due;
  const { revision: number } = instance;
  try {
    const pinned = await pin(tx, accountId, definitionId, { field: 'definition_id', number });
    const { images = '[]' } = (await lastSuccess(tx, definitionId, { of: number })) ?? {};
    await order(tx, pinned, images);
  } catch (error) {
    // The server may be draining, the tenant suspended or a secret missing; that may change.
    if (error instanceof Problem) return tx.now + LATER_MS;
    throw error;
  }
  const healed = healedNow(instance, tx.now);
  await setHealed(tx, instance.id, healed);
  return nextHealAt(healed);
}

/** An instance that a user stopped stays stopped. */
function isWantedUp(instance: DriftedRow): instance is DriftedRow & { revision: number } {
  return instance.revision !== null && instance.status !== 'stopped';
}
