import type { StreamLimits } from '../config/config-fields.ts';
import type { Principal } from '../identity/principal.ts';
import { Problem } from '../problem.ts';
import type { Guard } from '../process/guard.ts';
import { endRequest } from '../storage/request-context.ts';
import { errorResponse } from './errors.ts';
import { EVENT_STREAM_HEADERS } from './event-stream.ts';
import type { Exchange, Route } from './exchange.ts';
import type { AccessControl } from './gate.ts';
import { type LiveStream, ResponseStream } from './live-stream.ts';

export interface OpenStreamsDeps {
  readonly accessControl: Pick<AccessControl, 'recheck'>;
  readonly guard: Guard;
  readonly limits: StreamLimits;
  /** Interval of heartbeats and of checks of the credential. */
  readonly heartbeatMs?: number | undefined;
}

/** Proxies commonly close a connection that is silent for 30 or 60 seconds. */
const HEARTBEAT_MS = 15_000;
/** Collects notices of changed credentials, which may come in bursts. */
const RECHECK_AFTER_MS = 100;
const RETRY_AFTER_SECONDS = 30;

interface Opened {
  readonly stream: ResponseStream;
  readonly exchange: Exchange;
}

/** Keeps the long-lived streams of this process: limits their number, keeps them alive, and ends them. */
export class OpenStreams {
  readonly #deps: OpenStreamsDeps;
  readonly #opened = new Set<Opened>();
  readonly #accounts = new Map<string, number>();
  #rechecking: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: OpenStreamsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#opened.size;
  }

  /**
   * Answers with a stream and resolves when it has ended. `produce` writes its events; what it throws is sent as the
   * event `error`.
   */
  async run(exchange: Exchange, produce: (stream: LiveStream) => Promise<void>): Promise<void> {
    const { accountId } = exchange.principal as Principal;
    this.#requireRoom(accountId);
    exchange.status = 200;
    const stream = new ResponseStream(exchange.with(EVENT_STREAM_HEADERS).open(), this.#deps.guard);
    // Random, so that the clients of a stopped service do not all return at once.
    stream.retryAfter(1_000 + Math.random() * 2_000);
    if (this.#closed) return stream.end();
    endRequest();
    this.#keep(accountId, { stream, exchange });
    try {
      await produce(stream);
    } catch (error) {
      stream.write({ event: 'error', data: errorResponse(error, exchange.id).body });
      if (!(error instanceof Problem)) throw error;
    } finally {
      stream.end();
    }
  }

  /** Forgets a stream when it has ended, even if its producer has not noticed yet. */
  #keep(accountId: string, opened: Opened): void {
    const { stream } = opened;
    const everyMs = this.#deps.heartbeatMs ?? HEARTBEAT_MS;
    const beat = () => {
      stream.heartbeat(everyMs / 2);
      return this.#recheck(opened);
    };
    const heartbeat = setInterval(this.#deps.guard(beat), everyMs);
    const forget = () => {
      clearInterval(heartbeat);
      this.#opened.delete(opened);
      this.#count(accountId, -1);
    };
    this.#opened.add(opened);
    this.#count(accountId, 1);
    stream.signal.addEventListener('abort', this.#deps.guard(forget), { once: true });
  }

  /** Checks all credentials soon: one may have been revoked or have lost a permission. */
  recheckAll(): void {
    if (this.#rechecking || this.#opened.size === 0) return;
    const recheck = async () => {
      this.#rechecking = undefined;
      for (const opened of [...this.#opened]) await this.#recheck(opened);
    };
    this.#rechecking = setTimeout(this.#deps.guard(recheck), RECHECK_AFTER_MS);
  }

  /** Ends all streams; clients reconnect to another replica or to the next process. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#rechecking);
    for (const { stream } of this.#opened) stream.end();
  }

  async #recheck({ stream, exchange }: Opened): Promise<void> {
    if (stream.signal.aborted) return;
    const refusal = await this.#deps.accessControl.recheck((exchange.route as Route).access, exchange);
    if (refusal === undefined) return;
    stream.write({ event: 'error', data: errorResponse(refusal, exchange.id).body });
    stream.end();
  }

  #requireRoom(accountId: string): void {
    const { account, total } = this.#deps.limits;
    if ((this.#accounts.get(accountId) ?? 0) >= account) throw tooMany(account, 'this account');
    if (this.#opened.size >= total) throw tooMany(total, 'this service');
  }

  #count(accountId: string, change: 1 | -1): void {
    const open = (this.#accounts.get(accountId) ?? 0) + change;
    if (open > 0) this.#accounts.set(accountId, open);
    else this.#accounts.delete(accountId);
  }
}

const tooMany = (limit: number, whose: string) =>
  new Problem('RATE_LIMITED', `The limit of ${limit} open event streams of ${whose} is reached. Close one, or poll.`, {
    limit,
    reason: 'stream_limit',
    retry_after: RETRY_AFTER_SECONDS,
  });
