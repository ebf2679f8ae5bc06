import type { BackupRow, PlanRow } from './store.ts';

type Kept = Pick<BackupRow, 'id' | 'kind' | 'created_at' | 'verified_at' | 'verify_error'>;
export type Limits = Pick<PlanRow, 'keep_last' | 'keep_days'>;

const DAY = 86_400_000;
/** Limit per kind for backups made automatically by restores and deployments; they are needed soon or never. */
const KEPT_BY_THEMSELVES = 5;

/**
 * Selects the backups of an instance to delete; expects them newest first. Manual backups are never selected, nor the
 * newest backup, nor the newest verified one.
 */
export function outdated(backups: readonly Kept[], limits: Limits, now: number): string[] {
  const proven = backups.find((backup) => backup.verified_at !== null && backup.verify_error === null);
  const dear = new Set([backups[0]?.id, proven?.id]);
  const beyond = (kind: BackupRow['kind'], last: number | null, days: number | null) =>
    backups
      .filter((backup) => backup.kind === kind)
      .filter((backup, index) => index >= (last ?? Infinity) || backup.created_at < now - (days ?? Infinity) * DAY);
  return [
    ...beyond('scheduled', limits.keep_last, limits.keep_days),
    ...beyond('safety', KEPT_BY_THEMSELVES, null),
    ...beyond('pre_deploy', KEPT_BY_THEMSELVES, null),
  ]
    .map(({ id }) => id)
    .filter((id) => !dear.has(id));
}
