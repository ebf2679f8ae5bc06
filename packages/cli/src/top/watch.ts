import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { ServerReading } from '@hortus/contract/resources/metrics';
import type { Server } from '@hortus/contract/resources/server-records';
import type { World } from '../world/world.ts';
import type { Watched } from './rows.ts';

/** Servers that are followed at a time; each takes one connection. */
export const MAX_SERVERS = 100;
const POLL_MS = 5_000;

/** Reads the newest stored reading of each server. */
export const readOnce = (client: Client, servers: readonly Server[]): Promise<Watched[]> =>
  Promise.all(
    servers.map(async (server) => ({
      server,
      reading: (await client.call('metrics.server', { params: { id: server.id } })).data,
      delay: server.status === 'offline' ? ('offline' as const) : undefined,
    })),
  );

/**
 * Follows the readings of all servers until the signal fires; rejects if the service refuses. `changed` is called with
 * each reading, and when readings stop to be live.
 */
export async function watchAll(
  client: Client,
  world: Pick<World, 'pause'>,
  servers: readonly Watched[],
  { signal, changed }: { readonly signal: AbortSignal; changed(now: Watched): void },
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  try {
    await Promise.all(servers.map((server) => follow(client, world, server, both, changed)));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
  }
}

async function follow(
  client: Client,
  world: Pick<World, 'pause'>,
  begun: Watched,
  signal: AbortSignal,
  changed: (now: Watched) => void,
): Promise<void> {
  let now = begun;
  const change = (to: Partial<Watched>) => {
    now = { ...now, ...to };
    changed(now);
  };
  const params = { id: begun.server.id };
  try {
    for await (const { event, data } of client.stream('metrics.server', { params, signal })) {
      if (event === 'delayed') change({ delay: (data as { reason: Watched['delay'] }).reason });
      else if (event === 'reading') {
        const reading = data as ServerReading;
        change({
          reading,
          ...(reading.live && { delay: undefined, server: { ...now.server, status: upStatus(now.server) } }),
        });
      }
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiProblem)) throw error;
    // Removed meanwhile.
    if (error.code === 'NOT_FOUND') return change({ reading: undefined, delay: 'offline' });
    if (error.code !== 'RATE_LIMITED' || error.details.reason !== 'stream_limit') throw error;
  }
  // Too many streams are open.
  for (; !signal.aborted; await world.pause(POLL_MS, signal))
    change({ reading: (await client.call('metrics.server', { params, signal })).data });
}

/** A live reading proves that a server that was listed as offline is back. */
const upStatus = ({ status }: Server): Server['status'] => (status === 'offline' ? 'online' : status);
