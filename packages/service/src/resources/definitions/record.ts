import { type BackupSettings, standardBackup } from '@hortus/contract/resources/backup-settings';
import type { Definition, Revision, Secret } from '@hortus/contract/resources/definition-records';
import { iso } from '../../records/time.ts';
import type { CatalogTemplate } from '../templates/public.ts';
import { bindingsOf } from './bindings.ts';
import { changesBetween } from './changes.ts';
import { overridesOf } from './overrides.ts';
import type { CurrentRow, RevisionRow, SecretRow } from './store.ts';

/** Reads the configured settings, or the defaults. */
export const backupSettings = ({ backup }: Pick<CurrentRow, 'backup'>): BackupSettings =>
  backup === null ? standardBackup : JSON.parse(backup);

/** Maps rows to the shapes of the contract. */
export const definitionRecord = (row: CurrentRow, template: CatalogTemplate): Definition => ({
  id: row.id,
  name: row.name,
  instance_uid: row.instance_uid,
  template_id: row.template_id,
  species: template.item.species,
  family: template.item.family,
  template_version: template.item.version,
  spec_hash: row.spec_hash,
  server_id: row.server_id,
  tenant_id: row.tenant_id,
  profile: row.profile,
  variant: row.variant,
  inputs: JSON.parse(row.inputs),
  secret_inputs: JSON.parse(row.secret_inputs),
  bindings: bindingsOf(row),
  ...(row.overrides !== null && { overrides: overridesOf(row) }),
  status: row.status,
  current_revision: row.current_revision,
  container_name: row.container_name,
  watch_seconds: row.watch_seconds,
  backup: backupSettings(row),
  deploy_test: row.test_id !== null && row.copy_of === null,
  copy_of: row.copy_of,
  heal: row.heal === 1,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const revisionRecord = (row: RevisionRow, previous: RevisionRow | undefined, current: number): Revision => ({
  number: row.number,
  current: row.number === current,
  template_id: row.template_id,
  spec_hash: row.spec_hash,
  profile: row.profile,
  variant: row.variant,
  inputs: JSON.parse(row.inputs),
  secret_inputs: JSON.parse(row.secret_inputs),
  bindings: bindingsOf(row),
  ...(row.overrides !== null && { overrides: overridesOf(row) }),
  created_at: iso(row.created_at),
  created_by: row.created_by,
  changes: previous ? changesBetween(previous, row) : [],
});

export const secretRecord = (row: SecretRow): Secret => ({
  name: row.name,
  kind: row.kind,
  set: row.ciphertext !== null,
  generator: row.generator,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
