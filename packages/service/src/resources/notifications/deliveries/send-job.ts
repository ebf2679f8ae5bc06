import type { JobKind, JobRun, Settled } from '../../../jobs/job.ts';
import { IN_ONE_RUN, outcomeOf, sendAll } from '../../../outbound/deliveries.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import { openConfig } from '../channels/config.ts';
import { type SendingDeps, sendMessage } from '../channels/sending.ts';
import { channelById, noteHealth } from '../channels/store.ts';
import type { OfChannel } from '../jobs.ts';
import type { Message } from '../message.ts';
import { dueNotifications, nextAttemptAt, recordAttempt } from './store.ts';

export interface SendDeps extends SendingDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly clock?: () => number;
}

/**
 * Sends due messages to one channel. One job per channel, so that a hanging receiver occupies only its own slot. The
 * concurrency is high because a run mostly waits.
 */
export const sendJob = (deps: SendDeps): JobKind => ({
  concurrency: 256,
  // A message gives up after 24 hours; its job never gives up earlier.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: (run) => sendDue(deps, run),
});

async function sendDue(deps: SendDeps, { job, signal, complete }: JobRun): Promise<'done' | Settled> {
  const { storage, vault, clock = Date.now } = deps;
  const { channel_id: channelId } = job.payload as OfChannel;
  const channel = await channelById(storage.reader, channelId);
  // Removed with its messages, or paused.
  if (channel?.status !== 'active') return 'done';
  const { type } = channel;
  const config = await openConfig(vault, storage.reader, channel);
  const due = await dueNotifications(storage.reader, channelId, clock(), IN_ONE_RUN);
  await sendAll(due, async (next) => {
    const reply = await sendMessage(deps, { type, config }, JSON.parse(next.message) as Message, { signal });
    const outcome = outcomeOf(next, reply, clock());
    const well = outcome.status === 'delivered';
    await storage.write(async (tx) => {
      await recordAttempt(tx, outcome);
      if (well !== (channel.failing_since === null)) await noteHealth(tx, channelId, well);
    });
    return well;
  });
  return await storage.write(async (tx) => {
    const again = await nextAttemptAt(tx, channelId);
    return await complete(tx, again === undefined ? 'done' : { again });
  });
}
