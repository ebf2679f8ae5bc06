import { conflict, invalid } from '../../problem.ts';
import type { Tx } from '../../storage/storage.ts';
import { useTenant } from './store.ts';

/** What tenants are to those that belong to one. Whoever has asked here can rely on the answer until his transaction ends. */

/** Lets a new definition in. `field` names are those of the request that makes it. */
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
      `the tenant ${tenant.slug} is moving to another server; wait for its end.`,
    );
  if (tenant.server_id !== serverId)
    throw conflict('server_id', 'other_server', `the tenant ${tenant.slug} is on the server ${tenant.server_id}.`, {
      tenant_id: tenant.id,
      server_id: tenant.server_id,
    });
}

/** Nothing of a tenant that is suspended, moving or gone is deployed or started. */
export async function requireOpenTenant(tx: Tx, tenantId: string | null): Promise<void> {
  if (tenantId === null) return;
  const tenant = await useTenant(tx, tenantId);
  if (!tenant || tenant.status === 'active' || tenant.status === 'pending') return;
  const { slug, status } = tenant;
  throw conflict('tenant_id', status, `the tenant ${slug} is ${status}; nothing of it is deployed or started.`, {
    tenant_id: tenantId,
    status,
  });
}

/** Whether a definition that comes back can go on belonging to it. */
export async function tenantIsThere(tx: Tx, tenantId: string): Promise<boolean> {
  const tenant = await useTenant(tx, tenantId);
  return tenant !== undefined && tenant.status !== 'deleted';
}
