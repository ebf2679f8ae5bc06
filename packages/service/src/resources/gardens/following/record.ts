import type { GardenCounts } from '@hortus/contract/resources/garden-records';
import type { GardenCommit, GardenCommitDetail, GardenSource } from '@hortus/contract/resources/garden-source-records';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { iso, isoOrNull } from '../../../records/time.ts';
import type { Queries } from '../../../storage/storage.ts';
import { type CommitRow, newestCommits, type SourceRow, sourcesOf } from './store.ts';

export const commitRecord = (row: CommitRow): GardenCommit => ({
  id: row.id,
  garden_id: row.garden_id,
  sha: row.sha,
  subject: row.subject,
  author: row.author,
  committed_at: isoOrNull(row.committed_at),
  status: row.status,
  reason: row.reason,
  error: row.error,
  counts: row.counts === null ? null : (JSON.parse(row.counts) as GardenCounts),
  plan_hash: row.plan_hash,
  run_id: row.run_id,
  decided_by: row.decided_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  finished_at: isoOrNull(row.finished_at),
});

export const commitDetail = (row: CommitRow, plan: string | null): GardenCommitDetail => ({
  ...commitRecord(row),
  problems: JSON.parse(row.problems) as GardenCommitDetail['problems'],
  plan: plan === null ? null : (JSON.parse(plan) as GardenCommitDetail['plan']),
});

/** Address for push webhooks of a garden. */
export const webhookUrl = (publicUrl: string, gardenId: string): string =>
  `${withoutTrailing(publicUrl, '/')}/api/v1/gardens/${gardenId}/push`;

/** Describes the repositories of gardens. */
export const sourceRecords =
  (publicUrl: string) =>
  async (queries: Queries, gardenIds: readonly string[]): Promise<ReadonlyMap<string, GardenSource>> => {
    const rows = await sourcesOf(queries, gardenIds);
    const ids = rows.map(({ garden_id }) => garden_id);
    const newest = await newestCommits(queries, ids);
    const applied = await newestCommits(queries, ids, 'applied');
    return new Map(
      rows.map((row) => [
        row.garden_id,
        sourceRecord(publicUrl, row, newest.get(row.garden_id), applied.get(row.garden_id)),
      ]),
    );
  };

const sourceRecord = (
  publicUrl: string,
  row: SourceRow,
  newest: CommitRow | undefined,
  applied: CommitRow | undefined,
): GardenSource => ({
  url: row.url,
  branch: row.branch,
  path: row.path,
  mode: row.mode,
  prune: row.prune === 1,
  interval: row.interval_seconds,
  provider: row.provider,
  username: row.username,
  has_credentials: row.token !== null,
  webhook_url: webhookUrl(publicUrl, row.garden_id),
  followed_by: row.followed_by,
  last_commit: newest ? commitRecord(newest) : null,
  applied_sha: applied?.sha ?? null,
  checked_at: isoOrNull(row.checked_at),
  next_check_at: isoOrNull(row.next_check_at),
  error: row.error,
});
