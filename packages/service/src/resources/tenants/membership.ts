import { conflict, invalid } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import { useTenant } from './store.ts';

/** What members of a tenant use of it. Each check holds until the transaction ends. */

/** Checks that a new definition may join. Problems name fields of the request that creates it. */
export async function joinTenant(
  tx: Tx,
  { accountId, tenantId, serverId }: { accountId: string; tenantId: string; serverId: string },
): Promise<void> {
  const tenant = await useTenant(tx, tenantId);
  if (tenant?.account_id !== accountId || tenant.status === 'deleted')
    throw invalid('tenant_id', 'there is no such tenant.', { reason: 'unknown' });
  if (tenant.status === 'migrating')
    throw conflict(
      'tenant_id',
      'migrating',
      `the tenant ${tenant.slug} is being migrated; wait for the migration to finish.`,
    );
  if (tenant.server_id !== serverId)
    throw conflict('server_id', 'other_server', `the tenant ${tenant.slug} is on the server ${tenant.server_id}.`, {
      tenant_id: tenant.id,
      server_id: tenant.server_id,
    });
}

/** Refuses to deploy or start anything of a suspended, migrating or deleted tenant. */
export async function requireOpenTenant(tx: Tx, tenantId: string | null): Promise<void> {
  if (tenantId === null) return;
  const tenant = await useTenant(tx, tenantId);
  if (!tenant || tenant.status === 'active' || tenant.status === 'pending') return;
  const { slug, status } = tenant;
  throw conflict(
    'tenant_id',
    status,
    `the tenant ${slug} is ${status}; its definitions cannot be deployed or started.`,
    {
      tenant_id: tenantId,
      status,
    },
  );
}

/** Whether a reactivated definition can still belong to it. */
export async function tenantExists(tx: Tx, tenantId: string): Promise<boolean> {
  const tenant = await useTenant(tx, tenantId);
  return tenant !== undefined && tenant.status !== 'deleted';
}
