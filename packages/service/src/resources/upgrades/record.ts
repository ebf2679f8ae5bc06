import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { compareForUpgrade } from '@hortus/template/upgrade/compare';
import { iso, isoOrNull } from '../../time.ts';
import type { Catalog } from '../templates/catalog.ts';
import type { ChosenRow } from './store.ts';

/** Compared when it is read, so that it always speaks of what is chosen now. */
export function upgradeRecord(row: ChosenRow, catalog: Pick<Catalog, 'byId'>): Upgrade {
  const [from, to] = [catalog.byId(row.from_template_id), catalog.byId(row.to_template_id)];
  if (!from || !to) throw new Error(`The upgrade ${row.id} names a template that is not in the catalog.`);
  const { changes, conflicts, newInputs, irreversible } = compareForUpgrade(from.spec, to.spec, {
    profile: row.profile,
    variant: row.variant ?? undefined,
    inputs: JSON.parse(row.inputs),
    held: JSON.parse(row.secret_inputs),
  });
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
    acknowledged_at: isoOrNull(row.acknowledged_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
