import type { Import } from '@hortus/contract/resources/imports';
import { iso, isoOrNull } from '../../records/time.ts';
import type { TransferRow } from '../transfers/public.ts';
import type { ImportRow } from './store.ts';

/** A volume to fill: its name in the template, its name in Docker, and its size in bytes. */
export interface ImportVolume {
  readonly name: string;
  readonly volume: string;
  readonly bytes: number;
}

export const volumesIn = ({ volumes }: Pick<ImportRow, 'volumes'>): ImportVolume[] => JSON.parse(volumes);

export const isFilled = (name: string, transfers: readonly TransferRow[]): boolean =>
  transfers.some(({ storage, mode, status }) => storage === name && mode === 'import' && status === 'completed');

export const importRecord = (row: ImportRow, transfers: readonly TransferRow[]): Import => ({
  id: row.id,
  server_id: row.server_id,
  name: row.name,
  instance_uid: row.instance_uid,
  species: row.species,
  status: row.status,
  volumes: volumesIn(row).map(({ name, bytes }) => ({ name, bytes, filled: isFilled(name, transfers) })),
  reason: row.reason,
  error: row.error,
  definition_id: row.status === 'completed' ? row.definition_id : null,
  deployment_id: row.deployment_id,
  created_by: row.created_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  finished_at: isoOrNull(row.finished_at),
});
