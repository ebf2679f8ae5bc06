import type { BackupSettings } from '@hortus/contract/resources/backup-settings';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import type { Tx } from '../../storage/storage.ts';

/** Settings of the automatic backups of a definition. */
export interface BackupPlan {
  readonly definitionId: string;
  readonly accountId: string;
  readonly spec: Pick<Canonical, 'slug' | 'backup'>;
  readonly settings: BackupSettings;
}

/** Schedules the automatic backups of a definition. */
export type PlanBackups = (tx: Tx, plan: BackupPlan) => Promise<void>;
