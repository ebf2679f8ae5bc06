import type { JobKind } from '../../../jobs/job.ts';
import type { AddressGuard } from '../../../outbound/address-guard.ts';
import { ANSWER_WITHIN_MS } from '../../../outbound/deliveries.ts';
import { post } from '../../../outbound/post.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import { isAccepted, statusRequest } from '../forges/status.ts';
import { findGarden } from '../store.ts';
import { openToken } from './secrets.ts';
import { type CommitRow, commitById, sourceOf, updateCommit } from './store.ts';

export interface ReportDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly guard: AddressGuard;
  readonly publicUrl: string;
}

const MOST_ATTEMPTS = 5;
const FIRST_WAIT_MS = 10_000;

/** Tells the forge the status of one commit. It is only shown there, so a forge that refuses it is given up soon. */
export const reportCommitJob = (deps: ReportDeps): JobKind => ({
  concurrency: 16,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ job, signal, complete }) => {
    const { storage } = deps;
    const { commit_id: id } = job.payload as { commit_id: string };
    const commit = await commitById(storage.reader, id);
    if (!commit || commit.reported === commit.status) return 'done';
    const isTold = await tell(deps, commit, signal);
    if (isTold === undefined) return 'done';
    return await storage.write(async (tx) => {
      const held = await commitById(tx, id);
      if (!held) return await complete(tx, 'done');
      if (isTold) await updateCommit(tx, id, { reported: commit.status });
      const attempts = isTold ? 0 : held.report_attempts + 1;
      if (!isTold) await updateCommit(tx, id, { report_attempts: attempts });
      if (held.status !== commit.status) return await complete(tx, { again: tx.now });
      if (isTold || attempts >= MOST_ATTEMPTS) return await complete(tx, 'done');
      return await complete(tx, { again: tx.now + FIRST_WAIT_MS * 4 ** (attempts - 1) });
    });
  },
});

/** Returns whether the forge accepted it; undefined if there is none to tell. */
async function tell(deps: ReportDeps, commit: CommitRow, signal: AbortSignal): Promise<boolean | undefined> {
  const { reader } = deps.storage;
  const source = await sourceOf(reader, commit.garden_id);
  const garden = await findGarden(reader, commit.account_id, commit.garden_id);
  const token = source && (await openToken(deps.vault, reader, source));
  if (!source?.provider || token === undefined || !garden) return undefined;
  const { provider, url, branch } = source;
  const request = statusRequest({
    ...{ provider, url, branch, token, sha: commit.sha, status: commit.status, garden: garden.name },
    text: textOf(commit),
    page: `${deps.publicUrl.replace(/\/+$/, '')}/gardens/${garden.id}`,
  });
  const { status } = await post({ ...request, timeoutMs: ANSWER_WITHIN_MS, guard: deps.guard, signal });
  return status !== null && isAccepted(provider, status);
}

const texts: Readonly<Record<CommitRow['status'], string>> = {
  found: 'Planning',
  planned: 'Planned',
  waiting: 'Waits for an approval',
  approved: 'Approved',
  applying: 'Applying',
  applied: 'Applied',
  failed: 'Failed',
  rejected: 'Rejected',
  broken: 'Broken',
  superseded: 'Superseded by a newer commit',
};

/** Says the state in one line, with the reason or the number of changes. */
function textOf({ status, error, counts }: CommitRow): string {
  if (status === 'superseded') return texts.superseded;
  if (error !== null) return `${texts[status]}: ${error}`;
  const { unchanged: _same, ...changes } = (counts === null ? {} : JSON.parse(counts)) as Record<string, number>;
  const summary = Object.entries(changes).flatMap(([action, number]) => (number > 0 ? [`${number} to ${action}`] : []));
  return summary.length === 0 ? texts[status] : `${texts[status]}: ${summary.join(', ')}`;
}
