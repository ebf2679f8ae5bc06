import { Readable } from 'node:stream';
import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { Incoming } from '@hortus/client/transfer/incoming';
import { Link, LinkLost } from '@hortus/client/transfer/link';
import { Reading, type Sending, send } from '@hortus/client/transfer/sender';
import type { Transfer } from '@hortus/contract/resources/transfers';
import { Failure } from '../failure.ts';
import { patiently } from '../following/poll.ts';
import type { World } from '../world/world.ts';

/** One end of a transfer, with the client and address of the service. */
export interface Carrying {
  readonly world: World;
  readonly client: Client;
  readonly url: string;
  readonly key: string;
  readonly transfer: Transfer;
}

const PAUSE_MS = 500;
const REPORT_EVERY_MS = 15_000;

/** Streams the content of a volume; reconnects as often as needed. */
export async function* fetchVolume(carrying: Carrying): AsyncGenerator<Buffer> {
  const { client, transfer, world } = carrying;
  const incoming = new Incoming();
  const stopped = new AbortController();
  const report = async (status: 'running' | 'completed') => {
    const { chunks, bytes } = incoming.progress;
    const body = { status, chunks, bytes, carried_bytes: bytes };
    await client.call('transfers.report', { params: { id: transfer.id }, body });
  };
  // This call also reveals that the other end failed; then waiting is pointless.
  let refusal: ApiProblem | undefined;
  const print = () =>
    report('running').catch((error: unknown) => {
      if (!(error instanceof ApiProblem) || error.code !== 'VALIDATION_ERROR') return;
      refusal = error;
      stopped.abort();
    });
  const regular = setInterval(print, REPORT_EVERY_MS);
  let whole = false;
  try {
    for (;;) {
      try {
        const link = await open(carrying, stopped.signal);
        try {
          yield* incoming.over(link);
        } finally {
          link.close();
        }
        await patiently(world, () => report('completed'));
        whole = true;
        return;
      } catch (error) {
        if (!(error instanceof LinkLost)) throw error;
        if (!refusal) await print();
        if (refusal) throw ended(transfer, refusal);
        await world.pause(PAUSE_MS);
      }
    }
  } finally {
    clearInterval(regular);
    const input = { status: 'failed', error: 'The receiver stopped.' } as const;
    // Best effort: if this report is lost, the transfer times out by itself.
    if (!whole && !refusal)
      await client.call('transfers.report', { params: { id: transfer.id }, body: input }).catch(() => undefined);
  }
}

/** Sends a volume. `content` reads it from the start; `stillWanted` throws once the import has failed. */
export async function sendVolume(
  carrying: Carrying,
  content: () => AsyncIterable<Buffer>,
  stillWanted: () => Promise<void>,
): Promise<void> {
  const { world } = carrying;
  const sending: Sending = { reading: undefined, open: async (key) => new Reading(Readable.from(content()), key) };
  for (;;) {
    try {
      const link = await open(carrying, new AbortController().signal);
      try {
        return await send(link, sending);
      } finally {
        link.close();
      }
    } catch (error) {
      if (!(error instanceof LinkLost)) throw error;
      await stillWanted();
      await world.pause(PAUSE_MS);
    }
  }
}

const open = ({ url, key, transfer }: Carrying, signal: AbortSignal): Promise<Link> =>
  Link.open(url, key, transfer.id, signal);

function ended({ storage }: Transfer, problem: ApiProblem): Failure {
  const { error, status } = (problem.details ?? {}) as { error?: string | null; status?: string };
  return new Failure('failed', `${storage} could not be fetched: ${error ?? `the transfer is ${status}`}`, { problem });
}
