import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { findIn, listOf, lockIn } from '../../storage/lists.ts';
import { forUse } from '../../storage/locking.ts';
import type { Slots } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row, Tables } from '../../storage/tables.ts';

export type TenantRow = Row<'tenants'>;

export interface TenantFilter {
  readonly accountId: string;
  readonly serverId?: string | undefined;
  readonly status?: TenantRow['status'] | undefined;
}

/** Excludes deleted tenants unless the filter asks for them. */
const matching =
  (filter: Slots<TenantFilter>) =>
  (eb: ExpressionBuilder<Tables, 'tenants'>): Expression<SqlBool> =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      ...(filter.serverId === undefined ? [] : [eb('server_id', '=', filter.serverId)]),
      filter.status === undefined ? eb('status', '<>', sql.lit('deleted' as const)) : eb('status', '=', filter.status),
    ]);

export const tenantList = listOf('tenants', matching);

export const findTenant = findIn('tenants');

export const tenantById = (queries: Queries, id: string): Promise<TenantRow | undefined> =>
  queries.db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst();

/** Shared lock: others may use the tenant too, but its state cannot change until the transaction ends. */
export const useTenant = (tx: Tx, id: string): Promise<TenantRow | undefined> =>
  forUse(tx.engine, tx.db.selectFrom('tenants').selectAll().where('id', '=', id)).executeTakeFirst();

export const lockTenant = lockIn('tenants');

export async function rememberInstance(tx: Tx, tenantId: string, instanceId: string): Promise<void> {
  await tx.db
    .insertInto('suspended_instances')
    .values({ tenant_id: tenantId, instance_id: instanceId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes and returns the remembered instances. */
export async function forgetInstances(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx.db
    .deleteFrom('suspended_instances')
    .where('tenant_id', '=', tenantId)
    .returning('instance_id')
    .execute();
  return rows.map(({ instance_id }) => instance_id);
}

/** Lists the tenants on a server that are not deleted. */
export const tenantsOn = (queries: Queries, accountId: string, serverId: string): Promise<TenantRow[]> =>
  queries.db
    .selectFrom('tenants')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('server_id', '=', serverId)
    .where('status', '<>', sql.lit('deleted' as const))
    .orderBy('id')
    .execute();

/** Lists all tenants of an account that are not deleted. */
export const tenantsOf = (queries: Queries, accountId: string): Promise<TenantRow[]> =>
  queries.db
    .selectFrom('tenants')
    .selectAll()
    .where(matching({ accountId: sql.val(accountId) }))
    .execute();
