import type { Delivery, WebhookEndpoint, webhookEndpoints } from '@hortus/contract/resources/webhooks';
import type { Call, Handlers } from '../../http/handler.ts';
import { checkUrl } from '../../outbound/check-url.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import { change, redeliver } from './change.ts';
import { secretWarnings } from './secret.ts';
import { listDeliveries, listEndpoints, read, readDelivery, register, remove, type WebhookDeps } from './service.ts';
import type { EndpointRow, ListedDelivery } from './store.ts';
import { testDelivery } from './test-delivery.ts';

export const webhookRoutes = (deps: WebhookDeps): Handlers<keyof typeof webhookEndpoints> => {
  const create = async ({ body, principal, write }: Creation) => {
    await checkUrl(deps.guard, body.url);
    return await write(async (tx) => ({
      success: true,
      data: endpointRecord(await register(tx, deps, principal, body), secretWarnings(body.secret)),
    }));
  };
  return {
    'webhooks.list': async ({ principal, query }) => {
      const { data, pagination } = await listEndpoints(deps, principal.accountId, query);
      return { success: true, data: data.map((row) => endpointRecord(row)), pagination };
    },
    'webhooks.read': async ({ principal, params }) => ({
      success: true,
      data: endpointRecord(await read(deps, principal.accountId, params.id)),
    }),
    'webhooks.update': async ({ principal, params, body, write }) => {
      await read(deps, principal.accountId, params.id);
      if (body.url !== undefined) await checkUrl(deps.guard, body.url);
      return write(async (tx) => ({
        success: true,
        data: endpointRecord(await change(tx, deps.vault, principal, params.id, body), secretWarnings(body.secret)),
      }));
    },
    'webhooks.redeliver': ({ principal, params, write }) =>
      write(async (tx) => ({
        success: true,
        data: deliveryRecord(await redeliver(tx, principal, params.id, params.delivery_id)),
      })),
    'webhooks.test': async ({ principal, params }) => ({
      success: true,
      data: await testDelivery(deps, await read(deps, principal.accountId, params.id)),
    }),
    'webhooks.create': create,
    'webhooks.createAlternative': create,
    'webhooks.delete': ({ principal, params, write }) =>
      write(async (tx) => ({ success: true, data: endpointRecord(await remove(tx, principal, params.id)) })),
    'webhooks.deliveries': async ({ principal, params, query }) => {
      const filter = { endpointId: params.id, status: query.status };
      const { data, pagination } = await listDeliveries(deps, principal.accountId, filter, query);
      return { success: true, data: data.map(deliveryRecord), pagination };
    },
    'webhooks.delivery': async ({ principal, params }) => {
      const row = await readDelivery(deps, principal.accountId, params.id, params.delivery_id);
      return { success: true, data: { ...deliveryRecord(row), reply: row.reply } };
    },
  };
};

/** Shared by both creation paths. */
type Creation = Pick<Call<'webhooks.create'>, 'body' | 'principal' | 'write'>;

const endpointRecord = (row: EndpointRow, warnings: string[] = []): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events),
  status: row.status,
  paused_because: row.paused_because,
  failing_since: isoOrNull(row.failing_since),
  old_secret_until: isoOrNull(row.old_secret_until),
  warnings,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const deliveryRecord = (row: ListedDelivery): Delivery => ({
  id: row.id,
  event_id: row.event_id,
  event_type: row.event_type as Delivery['event_type'],
  seq: row.seq,
  status: row.status,
  attempts: row.attempts,
  response_code: row.response_code,
  error: row.error,
  duration_ms: row.duration_ms,
  next_attempt_at: isoOrNull(row.next_attempt_at),
  delivered_at: isoOrNull(row.delivered_at),
  created_at: iso(row.created_at),
});
