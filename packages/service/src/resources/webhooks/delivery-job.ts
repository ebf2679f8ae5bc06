import type { WebhookBody } from '@hortus/contract/resources/webhooks';
import { type Backoff, backoffMs } from '../../jobs/backoff.ts';
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
  /** An answer counts within this time; 10 s. */
  readonly timeoutMs?: number;
}

export const DELIVER = 'webhook.deliver';

/** One receiver gets so many requests at once, over all replicas: its job is one, and held by one of them. */
const AT_ONCE = 4;
/** After so many the job goes back into the queue, behind those of other endpoints. */
const IN_ONE_RUN = 40;
const ANSWER_WITHIN_MS = 10_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const retries: Backoff = { firstMs: 5_000, longestMs: 3_600_000 };

/**
 * Sends what is due to one endpoint. There is one job per endpoint and not per delivery: a receiver that hangs holds up
 * a place of its own and nobody else's. The places are many because a run does little but wait.
 */
export const deliveryJob = (deps: DeliveryDeps): JobKind => ({
  concurrency: 256,
  // A delivery has its own end after 24 hours; the job that carries it never gives up before.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: (run) => sendDue(deps, run),
});

async function sendDue(deps: DeliveryDeps, { job, signal, complete }: JobRun): Promise<'done' | Settled> {
  const { storage, vault } = deps;
  const { endpoint_id: endpointId } = job.payload as { endpoint_id: string };
  const endpoint = await endpointById(storage.reader, endpointId);
  // Removed meanwhile, and its deliveries with it; or nothing is to be sent to it now.
  if (endpoint?.status !== 'active') return 'done';
  const [secret, oldSecret] = await openSecrets(vault, storage.reader, endpoint, now(deps));
  const waiting = await dueDeliveries(storage.reader, { endpointId, now: now(deps), most: IN_ONE_RUN });
  let well = true;
  const sender = async () => {
    // Once one fails the rest are not tried in this run, so that an ill receiver gives its place back soon.
    for (let next = waiting.shift(); next && well; next = waiting.shift()) {
      well = (await attempt(deps, endpoint, { secret, oldSecret }, next, signal)) && well;
    }
  };
  // All of them have ended before the job is given back, also when one of them threw.
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
    // Known from before: one that was well is not written to when it is well again.
    if (well !== (endpoint.failing_since === null)) await noteHealth(tx, endpoint.id, well);
    if (outcome.status === 'dead') await pauseIfDead(tx, endpoint, now(deps));
  });
  return well;
}

/** Nothing has arrived for as long as a delivery is tried: whoever it was is gone, and more would only pile up. */
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

/** The same bytes in every attempt. */
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

/** What an attempt means for its delivery. */
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
  // The last attempt falls on the very end of the 24 hours.
  const next_attempt_at = Math.min(at + backoffMs(attempts, retries), end);
  return { ...common, status: 'pending', error, next_attempt_at, delivered_at: null };
}

const now = (deps: DeliveryDeps): number => (deps.clock ?? Date.now)();
