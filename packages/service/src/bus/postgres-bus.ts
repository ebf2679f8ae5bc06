import { setTimeout as sleep } from 'node:timers/promises';
import { type BackoffTimes, backoffMs } from '@hortus/contract/runtime/backoff';
import type pg from 'pg';
import { type Guard, guardWith } from '../process/guard.ts';
import type { Log } from '../process/log.ts';
import { Primary } from '../storage/postgres/primary.ts';
import { readDatabaseServers } from '../storage/postgres/servers.ts';
import type { Bus } from './bus.ts';
import { Outgoing, readPayload } from './outgoing.ts';
import { refuseTooLong, Subscriptions } from './subscriptions.ts';

export interface PostgresBusOptions {
  /** May name several servers; the one that accepts writes is used, because a standby refuses LISTEN. */
  readonly url: string;
  /** Id of this process, by which it recognizes its own messages. */
  readonly replica: string;
  readonly log: Pick<Log, 'error' | 'warn'>;
  /** How long messages are collected before they are sent together. */
  readonly collectMs?: number;
  /** Interval of checks of the connection, to detect one that was lost silently. */
  readonly probeMs?: number;
}

const CHANNEL = 'hortus';
const RETRIES: BackoffTimes = { firstMs: 100, maxMs: 5_000 };

/** Rejects if the database cannot be reached; a connection that is lost later is reopened, with unlimited retries. */
export async function openPostgresBus(options: PostgresBusOptions): Promise<Bus> {
  const bus = new PostgresBus(options);
  await bus.open();
  return bus;
}

/**
 * Uses LISTEN and NOTIFY on a separate connection. Messages to listeners of this process are delivered directly. While
 * the connection is down, messages are queued, because the other replicas notice no gap.
 */
class PostgresBus implements Bus {
  readonly #options: PostgresBusOptions;
  readonly #guard: Guard;
  readonly #primary: Primary;
  readonly #subscriptions: Subscriptions;
  readonly #outgoing: Outgoing;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #connectedAt = 0;
  #collecting: NodeJS.Timeout | undefined;
  #probing: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #reconnecting: Promise<void> | undefined;

  constructor(options: PostgresBusOptions) {
    this.#options = options;
    this.#guard = guardWith(options.log);
    this.#primary = new Primary(readDatabaseServers(options.url));
    this.#subscriptions = new Subscriptions(options.log);
    this.#outgoing = new Outgoing(options.replica);
  }

  async open(): Promise<void> {
    await this.#connect();
    const probe = () => this.#probe();
    this.#probing = setInterval(this.#guard(probe), this.#options.probeMs ?? 15_000);
    this.#probing.unref();
  }

  publish(topic: string, message = ''): void {
    refuseTooLong(topic, message);
    this.#subscriptions.notify(topic, message);
    if (this.#closing.signal.aborted) return;
    this.#outgoing.add(topic, message);
    this.#sendSoon();
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    return this.#subscriptions.add(topic, listener);
  }

  onGap(listener: () => void): void {
    this.#subscriptions.addGap(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#probing);
    clearTimeout(this.#collecting);
    await this.#reconnecting;
    await this.#sending;
    // Send the last messages: other replicas may wait for them.
    await this.#send();
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  #sendSoon(): void {
    if (this.#collecting || !this.#client || this.#closing.signal.aborted) return;
    const send = () => {
      this.#sending = this.#send().finally(() => {
        this.#collecting = undefined;
        // Messages added meanwhile are sent with the next round.
        if (!this.#outgoing.empty) this.#sendSoon();
      });
      return this.#sending;
    };
    this.#collecting = setTimeout(this.#guard(send), this.#options.collectMs ?? 3);
  }

  async #send(): Promise<void> {
    const client = this.#client;
    if (!client || this.#outgoing.empty) return;
    const payloads = this.#outgoing.take();
    try {
      await client.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [CHANNEL, payloads]);
    } catch (error) {
      this.#outgoing.putBack(payloads);
      this.#lost(client, error);
    }
  }

  async #probe(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    // If no other server accepts writes, the next connection is to the same one, and stays.
    if (this.#primary.isDistrustedSince(this.#connectedAt))
      return this.#lost(client, new Error('Another database server is preferred now.'));
    await client.query('select 1').catch((error) => this.#lost(client, error));
  }

  async #connect(): Promise<void> {
    const client = await this.#primary.connect({
      query_timeout: 5_000,
      keepAlive: true,
      application_name: 'hortus bus',
    });
    client.on(
      'error',
      this.#guard((error: Error) => this.#lost(client, error)),
    );
    client.on(
      'end',
      this.#guard(() => this.#lost(client, new Error('The connection has ended.'))),
    );
    client.on(
      'notification',
      this.#guard(({ payload = '' }: { payload?: string | undefined }) => this.#receive(payload)),
    );
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.#connectedAt = performance.now();
    this.#sendSoon();
  }

  #receive(payload: string): void {
    const notice = readPayload(payload);
    if (!notice || notice.replica === this.#options.replica) return;
    if (notice.gap) this.#subscriptions.reportGap();
    else this.#subscriptions.notify(notice.topic, notice.message);
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => {});
    if (this.#closing.signal.aborted) return;
    this.#options.log.warn({ err: error }, 'lost the connection to the other replicas');
    this.#subscriptions.reportGap();
    this.#reconnecting = this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      await sleep(backoffMs(failures, RETRIES), undefined, { signal: this.#closing.signal }).catch(() => {});
      if (this.#closing.signal.aborted) return;
      try {
        await this.#connect();
        this.#subscriptions.reportGap();
        return;
      } catch (error) {
        this.#options.log.warn({ err: error }, 'the other replicas cannot be reached yet');
      }
    }
  }
}
