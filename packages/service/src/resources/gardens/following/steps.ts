import type { GardenProblem } from '@hortus/contract/resources/garden-records';
import { absentPrincipal } from '../../../identity/absent-principal.ts';
import type { Principal } from '../../../identity/principal.ts';
import { Behind, Problem } from '../../../problem.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { GardenPlanning } from '../planning.ts';
import type { Gardens, PreparedRun } from '../service.ts';
import { findGarden, runById } from '../store.ts';
import { type CommitFiles, commitFiles } from './commit-files.ts';
import { moveCommit, sentenceOf } from './moving.ts';
import {
  applyingCommit,
  type CommitRow,
  commitById,
  lockSource,
  newestCommit,
  type SourceRow,
  sourceOf,
  updateContents,
} from './store.ts';

export interface StepDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly planning: GardenPlanning;
  readonly gardens: Gardens;
}

/** Records the end of the run that applies a commit. */
export async function settle({ storage }: StepDeps, gardenId: string): Promise<void> {
  if (!(await applyingCommit(storage.reader, gardenId))) return;
  await storage.write(async (tx) => {
    const source = await lockSource(tx, gardenId);
    const commit = await applyingCommit(tx, gardenId);
    const run = commit?.run_id ? await runById(tx, commit.run_id) : undefined;
    if (!source || !commit || !run) return;
    const actor = run.created_by;
    if (run.status === 'succeeded') await moveCommit(tx, source, commit, 'succeed', { actor });
    else if (run.status === 'failed')
      await moveCommit(tx, source, commit, 'fail', { actor, set: { reason: run.reason, error: run.error } });
  });
}

/**
 * Takes the newest commit as far as it goes without a person: plans it, then proposes or applies it. Each step is one
 * transaction that finds the commit in the state before, so a process that is killed repeats nothing. Returns false if
 * another run of the garden must end first.
 */
export async function advance(deps: StepDeps, gardenId: string): Promise<boolean> {
  const { reader } = deps.storage;
  for (;;) {
    const source = await sourceOf(reader, gardenId);
    const commit = await newestCommit(reader, gardenId);
    if (!source || (commit?.status !== 'found' && commit?.status !== 'planned')) return true;
    if (await applyingCommit(reader, gardenId)) return true;
    const isDone = commit.status === 'found' ? await plan(deps, source, commit) : await apply(deps, source, commit);
    if (!isDone) return false;
  }
}

async function plan(deps: StepDeps, source: SourceRow, commit: CommitRow): Promise<boolean> {
  const actor = source.followed_by;
  const files = await commitFiles(deps.vault, deps.storage.reader, commit);
  // Another process has ended it; look again later.
  if (!files) return false;
  const planned = await attempt(deps, source, files, (principal) =>
    deps.planning.plan(principal, files.body, files.kept),
  );
  await step(deps, source, commit, async (tx, held, row) => {
    if ('refusal' in planned) return await refuse(tx, held, row, planned, 'break');
    const { plan } = planned.value;
    const set = { counts: JSON.stringify(plan.counts), plan_hash: plan.plan_hash };
    await updateContents(tx, row.id, { plan: JSON.stringify(plan) });
    if (plan.problems.length > 0)
      return await refuse(tx, held, row, { refusal: 'plan', problems: plan.problems }, 'break', set);
    const moved = await moveCommit(tx, held, row, 'plan', { actor, set });
    // Nothing to decide if nothing changes.
    if (held.mode === 'propose' && plan.changes.length > 0) await moveCommit(tx, held, moved, 'propose', { actor });
  });
  return true;
}

async function apply(deps: StepDeps, source: SourceRow, commit: CommitRow): Promise<boolean> {
  const files = await commitFiles(deps.vault, deps.storage.reader, commit);
  if (!files) return false;
  const prepared = await attempt(deps, source, files, async (principal) => ({
    principal,
    run: await deps.gardens.prepare(principal, files.body, files.kept),
  }));
  try {
    await step(deps, source, commit, async (tx, held, row) => {
      if ('refusal' in prepared) return await refuse(tx, held, row, prepared, 'fail');
      const { principal, run } = prepared.value;
      await begin(tx, deps.gardens, { source: held, commit: row, principal, run });
    });
  } catch (error) {
    // A run that a client started before the garden was followed.
    if (error instanceof Problem && error.details?.reason === 'applying') return false;
    throw error;
  }
  return true;
}

interface Beginning {
  readonly source: SourceRow;
  readonly commit: CommitRow;
  readonly principal: Principal;
  readonly run: PreparedRun;
}

/** Starts the run of a commit, in the transaction that records it. */
export async function begin(
  tx: Tx,
  gardens: Gardens,
  { source, commit, principal, run: prepared }: Beginning,
): Promise<CommitRow> {
  const run = await gardens.apply(tx, principal, prepared, 'repository');
  const actor = run.created_by;
  const moved = await moveCommit(tx, source, commit, 'apply', { actor, set: { run_id: run.id } });
  return run.status === 'succeeded' ? await moveCommit(tx, source, moved, 'succeed', { actor }) : moved;
}

type Attempt<Value> =
  | { readonly value: Value }
  | { readonly refusal: string; readonly problems: readonly GardenProblem[] };

/** Does something with the rights that the follower of a garden has now. A refusal is a result. */
async function attempt<Value>(
  { storage }: StepDeps,
  { account_id, garden_id, followed_by }: SourceRow,
  { name }: CommitFiles,
  work: (principal: Principal) => Promise<Value>,
): Promise<Attempt<Value>> {
  const garden = await findGarden(storage.reader, account_id, garden_id);
  if (garden && garden.name !== name) {
    const message = `is ${name}, but this garden is named ${garden.name}; both must be equal`;
    return { refusal: 'name', problems: [{ field: 'name', message }] };
  }
  const principal = await absentPrincipal(storage.reader, account_id, followed_by, Date.now());
  if (!principal) {
    const message = `${followed_by}, with whose rights this garden is followed, has no access any more; change the source to follow it with your rights`;
    return { refusal: 'rights', problems: [{ field: 'source', message }] };
  }
  try {
    return { value: await work(principal) };
  } catch (error) {
    if (error instanceof Behind) {
      await error.catchUp();
      return { value: await work(principal) };
    }
    if (!(error instanceof Problem)) throw error;
    return refusalOf(error, followed_by);
  }
}

function refusalOf(error: Problem, follower: string): Exclude<Attempt<never>, { value: never }> {
  if (error.code === 'FORBIDDEN') {
    const message = `${follower}, with whose rights this garden is followed, may not do this. ${error.message}`;
    return { refusal: 'forbidden', problems: [{ field: 'source', message }] };
  }
  // Such as too many waiting requests: the job tries again.
  if (error.code !== 'VALIDATION_ERROR') throw error;
  const { problems, field = '' } = (error.details ?? {}) as { problems?: GardenProblem[]; field?: string };
  const own = [{ field, message: error.message.replace(`${field}: `, '') }];
  return { refusal: 'files', problems: (problems ?? own).map(withoutPrefix) };
}

/** Fields of a request begin with `garden`; in a repository that is the file itself. */
const withoutPrefix = ({ field, message }: GardenProblem): GardenProblem => ({
  field: field.replace(/^garden\./, ''),
  message,
});

/** A commit with problems is broken; one whose follower lacks a right has failed. */
async function refuse(
  tx: Tx,
  source: SourceRow,
  row: CommitRow,
  { refusal, problems }: Exclude<Attempt<never>, { value: never }>,
  move: 'break' | 'fail',
  more: object = {},
): Promise<void> {
  const lacksRights = refusal === 'rights' || refusal === 'forbidden';
  await moveCommit(tx, source, row, lacksRights ? 'fail' : move, {
    actor: source.followed_by,
    set: { ...more, reason: refusal, error: sentenceOf(problems), problems: JSON.stringify(problems) },
  });
}

/** Runs a step unless the commit, its state or the source, with its rights, is another one meanwhile. */
async function step(
  { storage }: StepDeps,
  { updated_at }: SourceRow,
  { id, status, garden_id }: CommitRow,
  work: (tx: Tx, source: SourceRow, commit: CommitRow) => Promise<unknown>,
): Promise<void> {
  await storage.write(async (tx) => {
    const source = await lockSource(tx, garden_id);
    const commit = await commitById(tx, id);
    const newest = await newestCommit(tx, garden_id);
    const isSame = source?.updated_at === updated_at && commit?.status === status && newest?.id === id;
    if (source && commit && isSame) await work(tx, source, commit);
  });
}
