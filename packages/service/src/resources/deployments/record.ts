import type { DeployedImage, Deployment, LogLine } from '@hortus/contract/resources/deployment-records';
import { iso, isoOrNull } from '../../records/time.ts';
import type { LineRow } from './logs/store.ts';
import type { DeploymentRow } from './store.ts';

/** Images it ran or, for an unfinished rollback, the images to run. */
const imagesOf = ({ images }: Pick<DeploymentRow, 'images'>): DeployedImage[] => JSON.parse(images);

/** Fields common to the record and its events. */
export const eventData = (row: DeploymentRow) => ({
  definition_id: row.definition_id,
  server_id: row.server_id,
  instance_id: row.instance_id,
  status: row.status,
  kind: row.kind,
  rollback_of: row.rollback_of,
  revision: row.revision,
  template_id: row.template_id,
  spec_hash: row.spec_hash,
  reason: row.reason,
  backup_id: row.backup_id,
});

/** Maps rows to the shapes of the contract. */
export const deploymentRecord = (row: DeploymentRow): Deployment => ({
  id: row.id,
  ...eventData(row),
  error: row.error,
  gap_ms: row.gap_ms,
  images: imagesOf(row),
  preparation: row.preparation && {
    kind: row.preparation,
    execution_id: row.preparation_execution,
    done: row.prepared_at !== null,
  },
  log_dropped: row.log_dropped === 1,
  ...(row.status === 'running' && row.interrupted_at !== null && { interrupted: true }),
  cancelling: row.status === 'running' && row.cancel_requested_at !== null,
  created_by: row.created_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  started_at: isoOrNull(row.started_at),
  finished_at: isoOrNull(row.finished_at),
});

export const lineRecord = (row: LineRow): LogLine => ({
  number: row.number,
  at: iso(row.at),
  level: row.level,
  step: row.step,
  message: row.message,
});
