import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import { Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { definitionById, holdDefinition, pin } from '../definitions/deployable.ts';
import { type DriftedRow, lockDrifted, noteHeal } from '../instances/drifted.ts';
import { healedNow, nextHealAt } from './heal-pauses.ts';
import { lastEnded, lastSuccess, unfinishedOf } from './store.ts';

/** One for each instance that has drifted and is to be healed. */
export const HEAL = 'instance.heal';

/** While something else is under way, or it cannot or shall not be deployed at the moment. */
const LATER_MS = 60_000;

export interface HealDeps {
  readonly storage: Storage;
  /** Orders a deployment of a revision that runs, with these bytes; throws a Problem where none may be ordered now. */
  readonly order: (tx: Tx, pinned: Awaited<ReturnType<typeof pin>>, images: string) => Promise<unknown>;
}

interface Drifted {
  readonly id: string;
  readonly account_id: string;
  readonly definition_id: string;
  readonly heals: number;
  readonly healed_at: number | null;
}

/** Puts the healing of an instance down, if its definition wants that: with the drift, so that neither is lost. */
export async function healSoon(tx: Tx, instance: Drifted): Promise<void> {
  const definition = await definitionById(tx, instance.account_id, instance.definition_id);
  if (!definition?.heal) return;
  const payload = { instance_id: instance.id, definition_id: definition.id, account_id: definition.account_id };
  await enqueue(tx, { kind: HEAL, key: instance.id, payload, runAt: Math.max(tx.now, nextHealAt(instance)) });
}

/** Orders deployments of what has drifted, with growing pauses, until the drift is gone or nobody wants it healed. */
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

/** Answers when to look again, or nothing when there is nothing left to do. */
async function heal({ order }: HealDeps, tx: Tx, accountId: string, definitionId: string): Promise<number | undefined> {
  const definition = await holdDefinition(tx, accountId, definitionId);
  const instance = definition && (await lockDrifted(tx, definitionId));
  if (!instance || !definition.heal || definition.status === 'archived') return undefined;
  if (!isWantedUp(instance) || (await unfinishedOf(tx, definitionId)).length > 0) return tx.now + LATER_MS;
  // Data that old code must not meet: somebody has to look at it.
  if ((await lastEnded(tx, definitionId))?.reason === 'irreversible') return tx.now + LATER_MS;
  const due = nextHealAt(instance);
  if (due > tx.now) return due;
  const { revision: number } = instance;
  try {
    const pinned = await pin(tx, accountId, definitionId, { field: 'definition_id', number });
    const { images = '[]' } = (await lastSuccess(tx, definitionId, { of: number })) ?? {};
    await order(tx, pinned, images);
  } catch (error) {
    // The server takes no work, the tenant is suspended, a secret is gone: that may change.
    if (error instanceof Problem) return tx.now + LATER_MS;
    throw error;
  }
  const healed = healedNow(instance, tx.now);
  await noteHeal(tx, instance.id, healed);
  return nextHealAt(healed);
}

/** One that somebody stopped shall not come back to life for this. */
function isWantedUp(instance: DriftedRow): instance is DriftedRow & { revision: number } {
  return instance.revision !== null && instance.status !== 'stopped';
}
