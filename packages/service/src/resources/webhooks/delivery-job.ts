import type { WebhookBody } from '@hortus/contract/resources/webhooks';
import type { JobKind, JobRun, Settled } from '../../jobs/job.ts';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import { GIVE_UP_AFTER_MS, IN_ONE_RUN, outcomeOf, RESPONSE_TIMEOUT_MS, sendAll } from '../../outbound/deliveries.ts';
import { post } from '../../outbound/post.ts';
import { iso } from '../../records/time.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { keptReply } from './reply.ts';
import { openSecrets } from './secret.ts';
import { audit } from './service.ts';
import { deliveryHeaders } from './signing.ts';
import {
  type DueDelivery,
  dueDeliveries,
  type EndpointRow,
  endpointById,
  lockEndpoint,
  nextAttemptAt,
  noteHealth,
  recordAttempt,
  updateEndpoint,
} from './store.ts';

export interface DeliveryDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly guard: AddressGuard;
  readonly clock?: () => number;
  /** Timeout of a response; default 10 s. */
  readonly timeoutMs?: number;
}

export const DELIVER = 'webhook.deliver';

/**
 * Sends due deliveries to one endpoint. One job per endpoint, so that a hanging receiver occupies only its own slot.
 * The concurrency is high because a run mostly waits.
 */
export const deliveryJob = (deps: DeliveryDeps): JobKind => ({
  concurrency: 256,
  // A delivery gives up after 24 hours; its job never gives up earlier.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: (run) => sendDue(deps, run),
});

async function sendDue(deps: DeliveryDeps, { job, signal, complete }: JobRun): Promise<'done' | Settled> {
  const { storage, vault } = deps;
  const { endpoint_id: endpointId } = job.payload as { endpoint_id: string };
  const endpoint = await endpointById(storage.reader, endpointId);
  // Removed with its deliveries, or paused.
  if (endpoint?.status !== 'active') return 'done';
  const [secret, oldSecret] = await openSecrets(vault, storage.reader, endpoint, now(deps));
  const waiting = await dueDeliveries(storage.reader, { endpointId, now: now(deps), max: IN_ONE_RUN });
  await sendAll(waiting, (next) => attempt(deps, endpoint, { secret, oldSecret }, next, signal));
  return await storage.write(async (tx) => {
    const again = await nextAttemptAt(tx, endpointId);
    return await complete(tx, again === undefined ? 'done' : { again });
  });
}

async function attempt(
  deps: DeliveryDeps,
  endpoint: EndpointRow,
  secrets: { readonly secret: string; readonly oldSecret: string | undefined },
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<boolean> {
  const body = bodyOf(delivery);
  const { id: deliveryId, event_id: eventId, event_type: eventType } = delivery;
  const result = await post({
    url: endpoint.url,
    headers: deliveryHeaders({ eventId, eventType, deliveryId, body, ...secrets, now: now(deps) }),
    body,
    timeoutMs: deps.timeoutMs ?? RESPONSE_TIMEOUT_MS,
    guard: deps.guard,
    signal,
    readResponse: true,
  });
  // Before the transaction, because masking yields to the event loop.
  const reply = await keptReply(result.text, secrets);
  const outcome = outcomeOf(delivery, result, now(deps));
  const well = outcome.status === 'delivered';
  await deps.storage.write(async (tx) => {
    await recordAttempt(tx, { ...outcome, reply });
    // Write only on a change of health.
    if (well !== (endpoint.failing_since === null)) await noteHealth(tx, endpoint.id, well);
    if (outcome.status === 'dead') await pauseIfDead(tx, endpoint, now(deps));
  });
  return well;
}

/** Pauses an endpoint that has failed for 24 hours, so that deliveries do not pile up. */
async function pauseIfDead(tx: Tx, { account_id, id }: EndpointRow, at: number): Promise<void> {
  const row = await lockEndpoint(tx, account_id, id);
  if (row?.status !== 'active' || row.failing_since === null || at - row.failing_since < GIVE_UP_AFTER_MS) return;
  await audit(
    tx,
    null,
    'audit.webhook_paused',
    await updateEndpoint(tx, row, { status: 'paused', paused_because: 'dead' }),
  );
}

/** Builds the body; identical in every attempt. */
function bodyOf(delivery: DueDelivery): string {
  const body: WebhookBody = {
    id: delivery.event_id,
    type: delivery.event_type as WebhookBody['type'],
    created_at: iso(delivery.event_created_at),
    account_id: delivery.account_id,
    data: JSON.parse(delivery.data),
  };
  return JSON.stringify(body);
}

const now = (deps: DeliveryDeps): number => (deps.clock ?? Date.now)();
