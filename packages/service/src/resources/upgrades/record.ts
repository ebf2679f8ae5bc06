import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { pausing } from '../../process/pausing.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { type Catalog, compareTemplates } from '../templates/public.ts';
import { pathFrom } from './scan.ts';
import type { ChosenRow } from './store.ts';

export interface RecordDeps {
  readonly catalog: Pick<Catalog, 'known' | 'byId' | 'newestOf' | 'versionsOf'>;
  readonly work: Work;
}

/**
 * Yields to the event loop between records when needed, because comparing two long templates takes milliseconds. Not for
 * transactions.
 */
export async function upgradeRecords(
  deps: RecordDeps,
  reader: Queries,
  rows: readonly ChosenRow[],
): Promise<Upgrade[]> {
  const records: Upgrade[] = [];
  const pause = pausing();
  for (const row of rows) {
    records.push(await upgradeRecord(deps, reader, row));
    await pause();
  }
  return records;
}

/** Compares on every read, so that it always shows the current choices. */
export async function upgradeRecord({ catalog, work }: RecordDeps, queries: Queries, row: ChosenRow): Promise<Upgrade> {
  const [from, to] = [catalog.known(row.from_template_id), catalog.known(row.to_template_id)];
  const compared = await compareTemplates(queries, work, from, to, {
    profile: row.profile,
    variant: row.variant ?? undefined,
    inputs: JSON.parse(row.inputs),
    held: JSON.parse(row.secret_inputs),
  });
  const { changes, conflicts, newInputs, irreversible, notes, data, refusal } = compared;
  return {
    id: row.id,
    instance_id: row.instance_id,
    instance_name: row.instance_name,
    definition_id: row.definition_id,
    server_id: row.server_id,
    species: row.species,
    from_version: from.item.version,
    to_version: to.item.version,
    from_template_id: row.from_template_id,
    to_template_id: row.to_template_id,
    status: row.status,
    ready: conflicts.length === 0 && newInputs.every(({ required }) => !required),
    changes: [...changes],
    conflicts: [...conflicts],
    new_inputs: [...newInputs],
    irreversible: [...irreversible],
    notes: [...notes],
    stops: row.status === 'applied' ? [] : [...(pathFrom(catalog, row.from_template_id)?.stops ?? [])],
    refusal: refusal ?? null,
    data,
    step: row.step,
    from_revision: row.from_revision,
    revision: row.revision,
    rehearsal_id: row.rehearsal_id,
    backup_id: row.backup_id,
    deployment_id: row.deployment_id,
    return_id: row.return_id,
    reason: row.reason,
    error: row.error,
    acknowledged_at: isoOrNull(row.acknowledged_at),
    started_at: isoOrNull(row.started_at),
    finished_at: isoOrNull(row.finished_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
