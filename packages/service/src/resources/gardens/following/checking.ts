import type { AddressGuard } from '../../../outbound/address-guard.ts';
import { Problem } from '../../../problem.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Work } from '../../../workers/job.ts';
import { usernameFor } from '../forges/provider.ts';
import { READ_REPOSITORY, type RepositoryRead } from '../git/read-repository.ts';
import { Repository } from '../git/remote.ts';
import { Unreadable } from '../git/unreadable.ts';
import { beginCommit, isEnded, moveCommit, newCommitId, sentenceOf } from './moving.ts';
import { openToken, sealFiles } from './secrets.ts';
import { type CommitRow, lockSource, newestCommit, openCommits, type SourceRow, updateSource } from './store.ts';

export interface CheckingDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'encrypt' | 'decrypt'>;
  readonly guard: AddressGuard;
  readonly repositoryWork: Work;
}

/** Between two looks at a repository, however often it is asked for. */
export const SPACING_MS = 2_000;
/** A repository that cannot be read is tried less and less often, at most once a day. */
const MAX_FACTOR = 16;
const DAY_MS = 86_400_000;
const UNKNOWN = { subject: '', author: '', committedAt: null } as const;

/** Returns when the repository is to be read: at the next interval, or soon if that was asked for. */
export function dueAt({ requests, served, checked_at, next_check_at }: SourceRow): number {
  return requests > served ? (checked_at ?? 0) + SPACING_MS : (next_check_at ?? 0);
}

/** Reads the branch of a repository, and records its commit if it is new. */
export async function check(deps: CheckingDeps, source: SourceRow, signal: AbortSignal): Promise<void> {
  const { storage } = deps;
  const isAgain = source.again_for > source.served;
  const isKnown = (newest: CommitRow | undefined, sha: string) => newest?.sha === sha && !(isAgain && isEnded(newest));
  try {
    const repository = await Repository.open(await remoteOf(deps, source, signal));
    const sha = await repository.head(source.branch);
    const newest = await newestCommit(storage.reader, source.garden_id);
    const read = isKnown(newest, sha) ? undefined : await contentOf(deps, source, repository, sha);
    await storage.write(async (tx) => {
      const held = await unchanged(tx, source);
      if (!held) return;
      if (read !== undefined && !isKnown(await newestCommit(tx, source.garden_id), sha))
        await recordCommit(tx, deps, held, sha, read);
      await updateSource(tx, source.garden_id, { ...checked(tx, source), failures: 0, error: null });
    });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    await storage.write(async (tx) => {
      if (!(await unchanged(tx, source))) return;
      const failures = source.failures + 1;
      await updateSource(tx, source.garden_id, { ...checked(tx, source, failures), failures, error: error.message });
    });
  }
}

async function remoteOf({ storage, vault, guard }: CheckingDeps, source: SourceRow, signal: AbortSignal) {
  const token = await openToken(vault, storage.reader, source);
  const username = source.username ?? usernameFor(source.provider);
  return { url: source.url, login: token === undefined ? undefined : { username, token }, guard, signal };
}

/** What a commit says. A pack beyond a limit is a broken commit: fetching it again would change nothing. */
async function contentOf(
  { repositoryWork }: CheckingDeps,
  { account_id: account, path }: SourceRow,
  repository: Repository,
  sha: string,
): Promise<RepositoryRead> {
  try {
    const pack = await repository.fetch(sha);
    return await repositoryWork.run(READ_REPOSITORY, { account, field: 'repository' }, pack, sha, path);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'VALIDATION_ERROR') throw error;
    const message = error.message.replace(/^repository: /, '');
    return { commit: UNKNOWN, files: null, problems: [{ field: 'repository', message }] };
  }
}

/** Locks the source. Undefined if it was changed meanwhile: then another run reads what it says now. */
async function unchanged(tx: Tx, source: SourceRow): Promise<SourceRow | undefined> {
  const held = await lockSource(tx, source.garden_id);
  return held?.updated_at === source.updated_at ? held : undefined;
}

async function recordCommit(
  tx: Tx,
  { vault }: CheckingDeps,
  source: SourceRow,
  sha: string,
  { commit, files, problems }: RepositoryRead,
): Promise<void> {
  const actor = source.followed_by;
  const error = `A newer commit, ${sha.slice(0, 10)}, came first.`;
  for (const older of await openCommits(tx, source.garden_id))
    await moveCommit(tx, source, older, 'supersede', { actor, set: { reason: 'superseded', error } });
  const id = newCommitId();
  const sealed = files === null ? '' : await sealFiles(vault, tx, source.account_id, id, files);
  const row = await beginCommit(tx, source, { id, sha, ...commit, files: sealed });
  if (files !== null) return;
  const set = { reason: 'files', error: sentenceOf(problems), problems: JSON.stringify(problems) };
  await moveCommit(tx, source, row, 'break', { actor, set });
}

/** The columns of a source after it was read. The interval varies a little, so that gardens spread out. */
function checked({ now }: Tx, { interval_seconds, requests }: SourceRow, failures = 0): Partial<SourceRow> {
  const factor = Math.min(2 ** failures, MAX_FACTOR) * (0.9 + Math.random() * 0.2);
  const wait = Math.min(interval_seconds * 1_000 * factor, Math.max(DAY_MS, interval_seconds * 1_000));
  return { checked_at: now, next_check_at: now + Math.round(wait), served: requests };
}
