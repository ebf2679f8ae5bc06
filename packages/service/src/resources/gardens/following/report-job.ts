import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { JobKind } from '../../../jobs/job.ts';
import { rowJob } from '../../../jobs/row-job.ts';
import type { AddressGuard } from '../../../outbound/address-guard.ts';
import { RESPONSE_TIMEOUT_MS } from '../../../outbound/deliveries.ts';
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

const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 10_000;

/** Tells the forge the status of one commit. It is only shown there, so a forge that refuses it is given up soon. */
export const reportCommitJob = (deps: ReportDeps): JobKind =>
  rowJob({
    storage: deps.storage,
    concurrency: 16,
    lock: commitById,
    async prepare(id, signal) {
      const commit = await commitById(deps.storage.reader, id);
      if (!commit || commit.reported === commit.status) return undefined;
      const accepted = await report(deps, commit, signal);
      return accepted === undefined ? undefined : { status: commit.status, accepted };
    },
    async advance(tx, { id, status, report_attempts }, reported) {
      if (!reported) return undefined;
      const attempts = report_attempts + 1;
      await updateCommit(tx, id, reported.accepted ? { reported: reported.status } : { report_attempts: attempts });
      if (status !== reported.status) return tx.now;
      if (reported.accepted || attempts >= MAX_ATTEMPTS) return undefined;
      return tx.now + FIRST_WAIT_MS * 4 ** (attempts - 1);
    },
  });

/** Returns whether the forge accepted it; undefined if there is none to report to. */
async function report(deps: ReportDeps, commit: CommitRow, signal: AbortSignal): Promise<boolean | undefined> {
  const { reader } = deps.storage;
  const source = await sourceOf(reader, commit.garden_id);
  const garden = await findGarden(reader, commit.account_id, commit.garden_id);
  const token = source && (await openToken(deps.vault, reader, source));
  if (!source?.provider || token === undefined || !garden) return undefined;
  const { provider, url, branch } = source;
  const request = statusRequest({
    ...{ provider, url, branch, token, sha: commit.sha, status: commit.status, garden: garden.name },
    text: textOf(commit),
    page: `${withoutTrailing(deps.publicUrl, '/')}/gardens/${garden.id}`,
  });
  const { status } = await post({ ...request, timeoutMs: RESPONSE_TIMEOUT_MS, guard: deps.guard, signal });
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
