import { gardenCommitMachine } from '@hortus/contract/machines/garden-commit';
import type { MoveOf } from '@hortus/contract/machines/machine';
import type { Problem as FileProblem } from '@hortus/garden/secret-places';
import { waker } from '../../../jobs/wake.ts';
import { newId } from '../../../records/ids.ts';
import { begin, transition } from '../../../state/transition.ts';
import type { Tx } from '../../../storage/storage.ts';
import type { NewRow } from '../../../storage/tables.ts';
import { gardenCommitLifecycle } from './lifecycle.ts';
import { type CommitRow, forgetOlderFiles, insertContents, type SourceRow, updateContents } from './store.ts';

/** One job per commit whose status the forge does not know yet. */
export const REPORT_COMMIT = 'gardens.report';

/** One job per followed garden. */
export const FOLLOW_GARDEN = 'gardens.follow';

export const wakeFollowing = waker(FOLLOW_GARDEN);
const wakeReport = waker(REPORT_COMMIT);

type Move = MoveOf<typeof gardenCommitMachine>;
type Set = Partial<NewRow<'garden_commits'>>;

const unsuccessful: ReadonlySet<Move> = new Set(['break', 'fail', 'reject', 'supersede']);

/** Moves a commit, and has the forge told. A commit that ended needs its files only if it is the applied one. */
export async function moveCommit(
  tx: Tx,
  source: SourceRow,
  row: CommitRow,
  move: Move,
  { actor, set = {} }: { readonly actor: string | null; readonly set?: Set },
): Promise<CommitRow> {
  const isEnd = move === 'succeed' || unsuccessful.has(move);
  const moved = await transition(tx, gardenCommitLifecycle, row, move, {
    actor,
    set: { ...(isEnd && { finished_at: tx.now }), report_attempts: 0, ...set },
  });
  if (unsuccessful.has(move)) await updateContents(tx, row.id, { files: '' });
  if (move === 'succeed') await forgetOlderFiles(tx, moved);
  await report(tx, source, moved);
  return moved;
}

export interface FoundCommit {
  readonly sha: string;
  readonly subject: string;
  readonly author: string;
  readonly committedAt: number | null;
  /** Sealed by `sealingContext` of the id. */
  readonly files: string;
  readonly id: string;
}

export const newCommitId = (): string => newId('gardenCommit');

/** Binds the sealed files to their commit. */
export const sealingContext = (commitId: string): string => `garden commit/${commitId}`;

export async function beginCommit(tx: Tx, source: SourceRow, found: FoundCommit): Promise<CommitRow> {
  const { id, sha, subject, author, committedAt, files } = found;
  const nothing = { reason: null, error: null, counts: null, plan_hash: null, run_id: null };
  const row = await begin(
    tx,
    gardenCommitLifecycle,
    {
      ...{ id, sha, subject, author, committed_at: committedAt, problems: '[]', prune: source.prune },
      ...{ account_id: source.account_id, garden_id: source.garden_id, decided_by: null, reported: null },
      ...{ report_attempts: 0, created_at: tx.now, updated_at: tx.now, finished_at: null },
      ...nothing,
    },
    'find',
    source.followed_by,
  );
  await insertContents(tx, { commit_id: id, files, plan: null });
  await report(tx, source, row);
  return row;
}

async function report(tx: Tx, { token, provider }: SourceRow, { id }: CommitRow): Promise<void> {
  if (token !== null && provider !== null) await wakeReport(tx, id);
}

/** Says in one sentence why a commit is broken. */
export function sentenceOf(problems: readonly FileProblem[]): string {
  const [first] = problems;
  if (!first) return 'The files have problems.';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${first.field === '' ? 'The garden' : first.field}: ${first.message}${more}`;
}

export const isEnded = (row: CommitRow): boolean => gardenCommitMachine.final.includes(row.status);
