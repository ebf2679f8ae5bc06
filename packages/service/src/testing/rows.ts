import { newId } from '../records/ids.ts';
import { insertRow } from '../storage/status-columns.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';

/** Minimal rows, for tests about something else. */
export async function insertAccount(storage: Storage): Promise<string> {
  const id = newId('account');
  await storage.write((tx) => insertRow(tx, 'accounts', { id, name: 'Garden', plan: 'pro', created_at: tx.now }));
  return id;
}

export interface DefinitionParents {
  readonly accountId: string;
  readonly templateId: string;
  readonly serverId: string;
}

/** Inserts an account with a server and a template, as required by a definition. */
export async function insertDefinitionParents(storage: Storage): Promise<DefinitionParents> {
  const accountId = await insertAccount(storage);
  const parents = { accountId, templateId: newId('template'), serverId: newId('server') };
  await storage.write(async (tx) => {
    await insertRow(tx, 'templates', templateRow(tx, parents));
    await insertRow(tx, 'servers', { ...serverRow(tx, parents), status: 'pending' });
  });
  return parents;
}

export const serverRow = (tx: Tx, { accountId, serverId }: Pick<DefinitionParents, 'accountId' | 'serverId'>) => ({
  id: serverId,
  account_id: accountId,
  name: 'server-1',
  environment: 'development',
  description: null,
  kind: null,
  leader_member: null,
  leader_until: null,
  leader_since: null,
  key_hash: serverId,
  next_key_hash: null,
  key_trusted: 1 as const,
  identity_key: null,
  identity_pinned_at: null,
  identity_conflict: null,
  identity_conflict_at: null,
  registered_by: null,
  connection_epoch: 0,
  connected_replica: null,
  duplicate_at: null,
  capabilities: '[]',
  daemon_version: null,
  daemon_journal: null,
  daemon_platform: '{}',
  fingerprint: null,
  networks: null,
  polled_at: null,
  next_key_sealed: null,
  old_key_until: null,
  last_seen_at: null,
  deleted_at: null,
  created_at: tx.now,
  updated_at: tx.now,
});

/** Without its status, which `begin` sets. */
export const definitionRow = (
  tx: Tx,
  parents: DefinitionParents,
  id = newId('definition'),
): Omit<Row<'definitions'>, 'status'> => ({
  id,
  account_id: parents.accountId,
  name: id,
  instance_uid: id,
  template_id: parents.templateId,
  server_id: parents.serverId,
  tenant_id: null,
  current_revision: 1,
  last_revision: 1,
  container_name: id,
  watch_seconds: 60,
  backup: null,
  test_id: null,
  copy_of: null,
  heal: 0 as const,
  succeeded_at: null,
  created_at: tx.now,
  updated_at: tx.now,
});

const templateRow = (tx: Tx, { templateId }: DefinitionParents): Row<'templates'> => ({
  id: templateId,
  owner: 'catalog',
  species: templateId,
  version: '1.0.0',
  name: 'Moss',
  description: '',
  archetype: 'application',
  kingdom: 'applications',
  family: 'blog',
  app_version: '1',
  spec: '{}',
  spec_hash: 'sha256:0',
  status: 'published',
  deprecated: 0,
  featured: 0,
  author_account: null,
  author: null,
  source: null,
  validated_hash: null,
  verified_at: null,
  verified_digest: null,
  created_at: tx.now,
  updated_at: tx.now,
});
