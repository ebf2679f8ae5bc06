import type pg from 'pg';
import type { PooledClient } from './pooled-client.ts';
import type { Primary } from './primary.ts';

/** Interval of the checks; a connection is suspect after one interval without a byte from the server. */
const EVERY_MS = 2_500;

export interface SilenceWatch {
  /** Closes every connection to a server, and looks for another one. */
  leave(url: string, reason: Error): void;
  stop(): void;
}

/**
 * Closes connections whose server is cut off. TCP would retransmit for a quarter of an hour before it reports that, and
 * a query may take that long too; so suspect connections are closed only if their server accepts no other connection.
 */
export function watchForSilence(pool: pg.Pool, primary: Primary, everyMs = EVERY_MS): SilenceWatch {
  const open = new Set<PooledClient>();
  pool.on('connect', (client) => open.add(client as unknown as PooledClient));
  pool.on('remove', (client) => open.delete(client as unknown as PooledClient));
  const borrowed = new Map<PooledClient, number>();
  pool.on('acquire', (client) => borrowed.set(client as unknown as PooledClient, -1));
  pool.on('release', (_, client) => borrowed.delete(client as unknown as PooledClient));
  let checking = false;

  const leave = (url: string, reason: Error) => {
    // Idle ones too: the next query would otherwise wait for one of them.
    for (const client of open) if (client.url === url) client.socket.destroy(reason);
    primary.probe();
  };

  const check = async () => {
    if (checking) return;
    checking = true;
    const suspects = [...borrowed].filter(([{ socket }, received]) => socket.bytesRead === received);
    for (const [client] of borrowed) borrowed.set(client, client.socket.bytesRead);
    for (const url of new Set(suspects.map(([{ url }]) => url))) {
      // Twice, because a busy server may be late once.
      if ((await primary.responds(url)) || (await primary.responds(url))) continue;
      if (suspects.some(([client, received]) => client.url === url && client.socket.bytesRead !== received)) continue;
      leave(url, new Error('The database server does not answer.'));
    }
    checking = false;
  };

  // `check` cannot fail: it only asks servers and closes sockets.
  const timer = setInterval(() => void check(), everyMs);
  timer.unref();
  return { leave, stop: () => clearInterval(timer) };
}
