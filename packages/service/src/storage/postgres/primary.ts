import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { firstSuccess } from './first-success.ts';
import { isLostConnection, isUnreachable } from './lost-connection.ts';
import { ServerSocket } from './server-socket.ts';
import { type DatabaseServers, showDatabaseServers } from './servers.ts';
import type { Wait } from './wait.ts';

export interface PrimaryOptions {
  /** How long one server may take to accept a connection. */
  readonly connectMs?: number;
}

const PAUSE_MS = 200;
/** How long one server is tried alone, before the next one is tried beside it. */
const ALONE_MS = 300;
/** How long a distrusted server is tried only after the others. By then a manager of the cluster has ended or demoted it. */
const DISTRUSTED_MS = 60_000;
/** Since when servers are distrusted, by URL. Of the whole process: notices between replicas must be where the changes are. */
const distrusted = new Map<string, number>();
const distrustedSince = (url: string): number => distrusted.get(url) ?? Number.NEGATIVE_INFINITY;
const isTrusted = (url: string): boolean => distrustedSince(url) + DISTRUSTED_MS <= performance.now();

/** Finds the server that accepts writes, and remembers it for later connections. */
export class Primary {
  readonly #servers: DatabaseServers;
  readonly #connectMs: number;
  #current = 0;
  #search: Promise<void> | undefined;

  constructor(servers: DatabaseServers, { connectMs = 2_000 }: PrimaryOptions = {}) {
    this.#servers = servers;
    this.#connectMs = connectMs;
  }

  /** URL of the server that accepted writes last. */
  get url(): string {
    return this.#servers.urls[this.#current] as string;
  }

  /** URLs of the other servers. */
  get otherUrls(): string[] {
    return this.#servers.urls.filter((url) => url !== this.url);
  }

  /** Whether the server that accepted writes last was distrusted later than this, by the clock of `performance`. */
  isDistrustedSince(at: number): boolean {
    return distrustedSince(this.url) > at;
  }

  get hasStandbys(): boolean {
    return this.#servers.urls.length > 1;
  }

  /** Rejects a new connection to a standby: a former primary returns as one, on the same address. */
  async check(client: pg.ClientBase): Promise<void> {
    if (!this.#servers.checked) return;
    const { rows } = await client.query({
      text: 'show transaction_read_only',
      query_timeout: this.#connectMs,
    } as pg.QueryConfig);
    if (rows[0]?.transaction_read_only !== 'off') throw new Error('The database server is a standby.');
  }

  /**
   * Prefers the other servers for a while: this one accepts writes and does not confirm them. So does a former primary that
   * was not told of its end, while another server has taken its place.
   */
  distrust(url: string): void {
    const { urls } = this.#servers;
    distrusted.set(url, performance.now());
    if (this.url === url) this.#current = (this.#current + 1) % urls.length;
  }

  /** Opens a connection outside of the pool. Tries every server once, the last good one first, distrusted ones last. */
  async connect(config: pg.ClientConfig = {}): Promise<pg.Client> {
    const { urls } = this.#servers;
    const order = urls.map((_, turn) => (this.#current + turn) % urls.length);
    const { trusted = [], others = [] } = Object.groupBy(order, (index) =>
      isTrusted(urls[index] as string) ? 'trusted' : 'others',
    );
    const errors: unknown[] = [];
    for (const group of [trusted, others].filter(({ length }) => length > 0)) {
      try {
        return await this.#connectOne(group, config);
      } catch (error) {
        errors.push(...(error as AggregateError).errors);
      }
    }
    if (errors.length === 1) throw errors[0];
    const reasons = errors.map((failure) => (failure as Error).message).join('; ');
    throw new AggregateError(errors, `No server of ${showDatabaseServers(this.#servers)} accepts writes: ${reasons}`);
  }

  async #connectOne(indexes: readonly number[], config: pg.ClientConfig): Promise<pg.Client> {
    const attempts = indexes.map((index) => async () => ({
      index,
      client: await this.#open(this.#servers.urls[index] as string, config),
    }));
    const { index, client } = await firstSuccess(attempts, {
      aloneMs: ALONE_MS,
      discard: ({ client }) => leave(client),
    });
    this.#current = index;
    return client;
  }

  /** Answers whether a server can be reached, even if it is a standby or refuses connections. */
  async responds(url: string): Promise<boolean> {
    try {
      leave(await this.#begin(url, {}));
      return true;
    } catch (error) {
      return !isUnreachable(error);
    }
  }

  /** Waits until a server accepts writes. Callers share the attempts. */
  async find(wait: Wait): Promise<void> {
    for (;;) {
      try {
        return await wait.for(this.#attempt());
      } catch (error) {
        // Waiting does not help against a wrong password.
        if (!isLostConnection(error)) throw error;
        wait.failed(error);
      }
      await wait.for(sleep(PAUSE_MS));
    }
  }

  /** Searches without a caller that waits, so that the next one finds it sooner. */
  probe(): void {
    this.#attempt().catch(() => {});
  }

  #attempt(): Promise<void> {
    this.#search ??= this.connect()
      .then(leave)
      .finally(() => {
        this.#search = undefined;
      });
    return this.#search;
  }

  async #open(url: string, config: pg.ClientConfig): Promise<pg.Client> {
    const client = await this.#begin(url, config);
    try {
      await this.check(client);
      return client;
    } catch (error) {
      leave(client);
      throw error;
    }
  }

  async #begin(url: string, config: pg.ClientConfig): Promise<pg.Client> {
    const client = new pg.Client({
      query_timeout: this.#connectMs,
      ...config,
      connectionString: url,
      connectionTimeoutMillis: this.#connectMs,
      stream: () => new ServerSocket(),
    });
    // An unhandled error would end the process; a failed query reports it.
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      leave(client);
      throw error;
    }
  }
}

/** Does not wait for the end: a server that is cut off at this moment would not confirm it for a quarter of an hour. */
function leave(client: pg.Client): void {
  client.end().catch(() => {});
}
