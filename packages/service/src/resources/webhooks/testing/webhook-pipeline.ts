import type { EventName } from '@hortus/contract/events';
import type { Call } from '../../../http/handler.ts';
import { type Principal, unlimited } from '../../../identity/principal.ts';
import { AddressGuard } from '../../../outbound/address-guard.ts';
import { append } from '../../../outbox/append.ts';
import { Pages } from '../../../storage/page.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Engine } from '../../../testing/engines.ts';
import { openEventPipeline } from '../../../testing/event-pipeline.ts';
import { insertAccount } from '../../../testing/rows.ts';
import { DELIVER, deliveryJob } from '../delivery-job.ts';
import { fanOut } from '../fan-out.ts';
import { webhookRoutes } from '../routes.ts';

/** Opens everything between an event and its webhook receiver, on one storage with a manual clock. */
export async function openWebhookPipeline(
  engine: Engine,
  options: { allowPrivate?: boolean; timeoutMs?: number } = {},
) {
  const { storage, log, vault, clock, carry } = await openEventPipeline(engine);
  const guard = new AddressGuard({ allowPrivate: options.allowPrivate ?? true });
  const routes = webhookRoutes({ storage, vault, guard, pages: new Pages(), requireRoom: async () => {} });
  const timeoutMs = options.timeoutMs ?? 10_000;
  const handlers = { [DELIVER]: deliveryJob({ storage, vault, guard, clock, timeoutMs }) };
  const principal = keyOf(await insertAccount(storage));

  return {
    storage,
    routes,
    log,
    principal,
    ...carry(handlers, fanOut),
    now: clock,
    async endpoint(body: { url: string; events: EventName[]; secret: string }, by: Principal = principal) {
      const call = { principal: by, body, ...rest(storage) } as unknown as Call<'webhooks.create'>;
      return (await routes['webhooks.create'](call)).data;
    },
    async deliveries(id: string, query: { status?: string; page?: number; per_page?: number } = {}, by = principal) {
      const call = { principal: by, params: { id }, query, ...rest(storage) };
      return await routes['webhooks.deliveries'](call as unknown as Call<'webhooks.deliveries'>);
    },
    async delivery(id: string, deliveryId: string, by = principal) {
      const call = { principal: by, params: { id, delivery_id: deliveryId } } as unknown as Call<'webhooks.delivery'>;
      return (await routes['webhooks.delivery'](call)).data;
    },
    async redeliver(id: string, deliveryId: string, by = principal) {
      const call = { principal: by, params: { id, delivery_id: deliveryId }, ...rest(storage) };
      return (await routes['webhooks.redeliver'](call as unknown as Call<'webhooks.redeliver'>)).data;
    },
    async list(query: { page?: number; per_page?: number } = {}, by = principal) {
      const call = { principal: by, query, ...rest(storage) } as unknown as Call<'webhooks.list'>;
      return await routes['webhooks.list'](call);
    },
    async remove(id: string, by = principal) {
      const call = { principal: by, params: { id }, ...rest(storage) } as unknown as Call<'webhooks.delete'>;
      return (await routes['webhooks.delete'](call)).data;
    },
    fire: (type: EventName | `audit.${string}`, data: Record<string, unknown> = {}, accountId = principal.accountId) =>
      storage.write((tx) =>
        append(tx, { type, accountId, resourceType: 'definition', resourceId: 'def_1', actor: null, data }),
      ),
    newAccount: async () => keyOf(await insertAccount(storage)),
  };
}

const rest = (storage: Storage) => ({ address: '127.0.0.1', write: storage.write });

const keyOf = (accountId: string): Principal => ({
  kind: 'key',
  id: 'key_1',
  userId: null,
  ...unlimited,
  plan: 'pro',
  permissions: ['webhooks:read', 'webhooks:write'],
  accountId,
});
