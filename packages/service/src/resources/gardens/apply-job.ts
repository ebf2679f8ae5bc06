import { deploymentMachine } from '@hortus/contract/machines/deployment';
import { nameOf } from '@hortus/garden/items';
import { type Principal, standInFor } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { POLL_MS, rowJob } from '../../jobs/row-job.ts';
import { wakeAfterWork, waker } from '../../jobs/wake.ts';
import { Behind, Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { makeCurrent } from '../definitions/public.ts';
import { type CarryingDeps, prepare } from './carrying.ts';
import { gardenRunLifecycle } from './lifecycle.ts';
import type { Outcome } from './step.ts';
import {
  changesOf,
  deleteItem,
  findChange,
  type GardenChangeRow,
  type GardenRunRow,
  lockRun,
  runById,
  runsWaitingFor,
  skipWaiting,
  updateChange,
  writeItem,
} from './store.ts';

/** One job per run, until it has ended. */
export const APPLY_GARDEN = 'gardens.apply';

/** Deployments of one run at the same time. */
const AT_ONCE = 4;

/** Binds the sealed orders to their run. */
export const sealingContext = (runId: string): string => `garden run/${runId}`;

export const wakeRun = waker(APPLY_GARDEN);

export const wakeGardens = wakeAfterWork(APPLY_GARDEN, runsWaitingFor);

/**
 * Applies a garden. Each change is one transaction with its own row, so a process that is killed at any time loses
 * nothing and repeats nothing.
 */
export const applyGardenJob = (deps: CarryingDeps): JobKind =>
  rowJob({
    storage: deps.storage,
    lock: lockRun,
    isOver: ({ status }) => status !== 'applying',
    async prepare(id, signal) {
      let orders: readonly (object | null)[] | undefined;
      for (;;) {
        signal.throwIfAborted();
        const next = await deps.storage.write((tx) => advance(tx, deps, id));
        if (next.length === 0) return;
        orders ??= await openOrders(deps, id);
        for (const change of next) await carryOut(deps, id, change, orders?.[change.place] ?? null);
      }
    },
    advance: async (tx) => tx.now + POLL_MS,
  });

/** The orders are gone once the run has ended. */
async function openOrders({ storage, vault }: CarryingDeps, id: string): Promise<(object | null)[]> {
  const run = await runById(storage.reader, id);
  if (!run || run.orders === '') return [];
  return JSON.parse(await vault.decrypt(storage.reader, run.account_id, run.orders, sealingContext(id)));
}

const principalOf = (run: GardenRunRow): Principal => standInFor(run.account_id, run.created_by);

/** Records the deployments that ended, and ends the run after the last change. Returns the changes to carry out now. */
async function advance(tx: Tx, deps: CarryingDeps, id: string): Promise<GardenChangeRow[]> {
  const run = await lockRun(tx, id);
  if (run?.status !== 'applying') return [];
  const changes: GardenChangeRow[] = [];
  for (const change of await changesOf(tx, id)) changes.push(await settled(tx, deps, run, change));
  const running = changes.filter(({ state }) => state === 'running').length;
  const failed = changes.find(({ state }) => state === 'failed');
  const waiting = changes.filter(({ state }) => state === 'waiting');
  if (failed || run.cancelled === 1 || waiting.length === 0) {
    if (running > 0) return [];
    await end(tx, run, failed, waiting.length);
    return [];
  }
  return ready(changes, waiting).slice(0, Math.max(0, AT_ONCE - running));
}

/** Returns the waiting changes that nothing stands before. Removals come after everything else. */
function ready(changes: readonly GardenChangeRow[], waiting: readonly GardenChangeRow[]): GardenChangeRow[] {
  const open = new Set(changes.filter(({ state }) => state !== 'done').map(nameOf));
  const isRemoval = ({ action }: GardenChangeRow) => action === 'archive' || action === 'remove';
  const others = changes.some((change) => !isRemoval(change) && change.state !== 'done');
  return waiting.filter(
    (item) => !(isRemoval(item) && others) && (JSON.parse(item.needs) as string[]).every((need) => !open.has(need)),
  );
}

/** Records the end of the deployment of a change, if it has ended. */
async function settled(
  tx: Tx,
  { deployments }: CarryingDeps,
  run: GardenRunRow,
  change: GardenChangeRow,
): Promise<GardenChangeRow> {
  if (change.state !== 'running' || change.deployment_id === null) return change;
  const principal = principalOf(run);
  const deployment = await deployments.find(tx, principal, change.deployment_id);
  if (!deploymentMachine.final.includes(deployment.status)) return change;
  const succeeded = deployment.status === 'success';
  const error = deployment.error ?? deployment.reason ?? `The deployment ended as ${deployment.status}.`;
  const set = succeeded ? { state: 'done' as const } : { state: 'failed' as const, error };
  await updateChange(tx, change, set);
  // The daemon runs the previous revision again; make it current, unless someone changed the definition meanwhile.
  if (!succeeded && change.from_revision !== null && change.resource_id !== null)
    await makeCurrent(tx, principal, change.resource_id, { from: deployment.revision, to: change.from_revision });
  return { ...change, ...set };
}

async function end(tx: Tx, run: GardenRunRow, failed: GardenChangeRow | undefined, waiting: number): Promise<void> {
  const ended = { orders: '', finished_at: tx.now };
  if (!failed && waiting === 0) {
    await transition(tx, gardenRunLifecycle, run, 'succeed', { actor: run.created_by, set: ended });
    return;
  }
  await skipWaiting(tx, run.id);
  const why = failed
    ? { reason: 'change', error: `${nameOf(failed)}: ${failed.error}` }
    : { reason: 'cancelled', error: 'The run was cancelled.' };
  await transition(tx, gardenRunLifecycle, run, 'fail', { actor: run.created_by, set: { ...ended, ...why } });
}

/** Carries out one change together with its row. A refusal is recorded; other errors are retried with the job. */
async function carryOut(
  deps: CarryingDeps,
  runId: string,
  change: GardenChangeRow,
  order: object | null,
): Promise<void> {
  const { storage } = deps;
  const run = await runById(storage.reader, runId);
  if (run?.status !== 'applying') return;
  const principal = principalOf(run);
  try {
    const step = await prepare(deps, principal, change, order);
    await storage.write(async (tx) => {
      if (!(await stillWaits(tx, change))) return;
      await record(tx, run, change, await step(tx));
    });
    if (change.kind === 'template') await deps.catalog.load();
  } catch (error) {
    if (error instanceof Behind) return await error.catchUp();
    if (!(error instanceof Problem)) throw error;
    const { message } = error;
    await storage.write(async (tx) => {
      if (await stillWaits(tx, change)) await updateChange(tx, change, { state: 'failed', error: message });
    });
  }
}

/** Locks the run, so that two workers never carry out the same change. */
async function stillWaits(tx: Tx, { run_id, place }: GardenChangeRow): Promise<boolean> {
  const run = await lockRun(tx, run_id);
  if (run?.status !== 'applying') return false;
  return (await findChange(tx, run_id, place))?.state === 'waiting';
}

async function record(tx: Tx, run: GardenRunRow, change: GardenChangeRow, outcome: Outcome): Promise<void> {
  const { resourceId: resource_id, deploymentId, fromRevision } = outcome;
  await updateChange(tx, change, {
    state: deploymentId === undefined ? 'done' : 'running',
    resource_id,
    deployment_id: deploymentId ?? null,
    from_revision: fromRevision ?? null,
  });
  const { kind, key, action } = change;
  const { garden_id, account_id } = run;
  if (action === 'archive' || action === 'remove') await deleteItem(tx, { garden_id, kind, key });
  // Templates are never pruned: definitions may use them.
  else if (kind !== 'template' && resource_id !== null)
    await writeItem(tx, { garden_id, account_id, kind, key, resource_id, made: action === 'create' ? 1 : 0 });
}
