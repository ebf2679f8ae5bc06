import type { WebhookRegistration } from '@hortus/contract/resources/webhooks';
import { actorOf, type Principal } from '../../identity/principal.ts';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import { append } from '../../outbox/append.ts';
import { notFound } from '../../problem.ts';
import type { RequireRoom } from '../../quotas/quotas.ts';
import { newId } from '../../records/ids.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { openSecret, sealSecret } from './secret.ts';
import {
  type DeliveryFilter,
  type DeliveryRow,
  deleteEndpoint,
  deliveryList,
  deliveryOf,
  type EndpointRow,
  endpointList,
  endpointOf,
  insertEndpoint,
  type ListedDelivery,
} from './store.ts';

export interface WebhookDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'encrypt' | 'decrypt'>;
  readonly guard: AddressGuard;
  readonly pages: Pages;
  readonly requireRoom: RequireRoom;
}

export async function register(
  tx: Tx,
  deps: WebhookDeps,
  principal: Principal,
  registration: WebhookRegistration,
): Promise<EndpointRow> {
  await deps.requireRoom(tx, principal, 'webhooks');
  const named = { id: newId('webhook'), account_id: principal.accountId };
  const row: EndpointRow = {
    ...named,
    url: registration.url,
    events: JSON.stringify(registration.events),
    secret: await sealSecret(deps.vault, tx, named, registration.secret),
    old_secret: null,
    old_secret_until: null,
    status: 'active',
    failing_since: null,
    paused_because: null,
    created_at: tx.now,
    updated_at: tx.now,
  };
  await insertEndpoint(tx, row);
  await audit(tx, principal, 'audit.webhook_created', row);
  return row;
}

export async function read(deps: WebhookDeps, accountId: string, id: string): Promise<EndpointRow> {
  const row = await endpointOf(deps.storage.reader, accountId, id);
  if (!row) throw notFound('webhook endpoint');
  return row;
}

/** Lists all endpoints of an account with their secrets, to compare them with a garden. */
export async function allWithSecrets({ vault }: WebhookDeps, queries: Queries, accountId: string) {
  const rows = await endpointList(queries, { accountId }).rows(MAX_COMPARED, 0);
  return await Promise.all(rows.map(async (row) => ({ row, secret: await openSecret(vault, queries, row) })));
}

const MAX_COMPARED = 10_000;

/** Deletes an endpoint with its deliveries; a running sender finds nothing left to send. */
export async function remove(tx: Tx, principal: Principal, id: string): Promise<EndpointRow> {
  const row = await deleteEndpoint(tx, principal.accountId, id);
  if (!row) throw notFound('webhook endpoint');
  await audit(tx, principal, 'audit.webhook_deleted', row);
  return row;
}

export function listEndpoints(
  deps: Pick<WebhookDeps, 'storage' | 'pages'>,
  accountId: string,
  page: PageRequest,
): Promise<Page<EndpointRow>> {
  const { reader } = deps.storage;
  return deps.pages.read(page, endpointList(reader, { accountId }));
}

export async function listDeliveries(
  deps: WebhookDeps,
  accountId: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<ListedDelivery>> {
  const { reader } = deps.storage;
  if (!(await endpointOf(reader, accountId, filter.endpointId))) throw notFound('webhook endpoint');
  return await deps.pages.read(page, deliveryList(reader, filter));
}

export async function readDelivery(
  { storage: { reader } }: WebhookDeps,
  accountId: string,
  endpointId: string,
  id: string,
): Promise<DeliveryRow> {
  if (!(await endpointOf(reader, accountId, endpointId))) throw notFound('webhook endpoint');
  const row = await deliveryOf(reader, endpointId, id);
  if (!row) throw notFound('delivery');
  return row;
}

/** Records only the host: the path of a webhook URL is often a secret. */
export const audit = (tx: Tx, principal: Principal | null, type: `audit.${string}`, row: EndpointRow): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'webhook',
    resourceId: row.id,
    actor: principal && actorOf(principal),
    data: { host: new URL(row.url).host, events: JSON.parse(row.events) },
  });
