import { type BackoffTimes, backoffMs } from '@hortus/contract/backoff';
import type { WebhookBody } from '@hortus/contract/resources/webhooks';
import type { JobKind, JobRun, Settled } from '../../jobs/job.ts';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import { type PostResult, post } from '../../outbound/post.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { iso } from '../../time.ts';
import type { Vault } from '../../vault/vault.ts';
import { openSecrets } from './secret.ts';
import { audit } from './service.ts';
import { deliveryHeaders } from './signing.ts';
import {
  type Attempt,
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

/** Concurrent requests per receiver, across replicas: each endpoint has one job, run by one replica. */
const AT_ONCE = 4;
/** After this many the job is queued again behind those of other endpoints. */
const IN_ONE_RUN = 40;
const ANSWER_WITHIN_MS = 10_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const retries: BackoffTimes = { firstMs: 5_000, mostMs: 3_600_000 };

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
  const waiting = await dueDeliveries(storage.reader, { endpointId, now: now(deps), most: IN_ONE_RUN });
  let well = true;
  const sender = async () => {
    // After a failure skip the rest of this run, so that a failing receiver frees its slot soon.
    for (let next = waiting.shift(); next && well; next = waiting.shift()) {
      well = (await attempt(deps, endpoint, { secret, oldSecret }, next, signal)) && well;
    }
  };
  // Wait for all senders before the job is released, even if one threw.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, sender));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
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
    timeoutMs: deps.timeoutMs ?? ANSWER_WITHIN_MS,
    guard: deps.guard,
    signal,
  });
  const outcome = outcomeOf(delivery, result, now(deps));
  const well = outcome.status === 'delivered';
  await deps.storage.write(async (tx) => {
    await recordAttempt(tx, outcome);
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

/** Decides the outcome of an attempt. */
export function outcomeOf(
  delivery: Pick<DueDelivery, 'id' | 'attempts' | 'created_at'>,
  result: PostResult,
  at: number,
): Attempt {
  const attempts = delivery.attempts + 1;
  const common = { id: delivery.id, attempts, response_code: result.status, duration_ms: result.durationMs };
  if (result.status !== null && result.status >= 200 && result.status < 300) {
    return { ...common, status: 'delivered', error: null, next_attempt_at: null, delivered_at: at };
  }
  const error = result.error ?? `the receiver answered ${result.status}`;
  const end = delivery.created_at + GIVE_UP_AFTER_MS;
  if (at >= end) return { ...common, status: 'dead', error, next_attempt_at: null, delivered_at: null };
  // The last attempt is at exactly 24 hours.
  const next_attempt_at = Math.min(at + backoffMs(attempts, retries), end);
  return { ...common, status: 'pending', error, next_attempt_at, delivered_at: null };
}

const now = (deps: DeliveryDeps): number => (deps.clock ?? Date.now)();
