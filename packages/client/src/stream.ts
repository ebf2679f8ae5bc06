import type { Endpoint } from '@hortus/contract/endpoint';
import { backoffMs } from '@hortus/contract/runtime/backoff';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiProblem } from './problem.ts';
import { addressOf, type Parts, requestOf } from './request.ts';
import { problemOf, readResponse } from './response.ts';
import { pauseAfter, type RetryPolicy, sleep } from './retry.ts';
import { within } from './time-limit.ts';

/** One event of a stream; `data` is parsed JSON. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

export interface StreamParts extends Parts {
  /** Id of the last event received earlier; the stream resumes after it. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Attempts to open the stream for the first time; by default those of the client. */
  readonly attempts?: number | undefined;
  /** Called when the stream is open, and again with each reconnect. */
  readonly onOpen?: (() => void) | undefined;
}

export interface StreamDeps {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
  readonly policy: RetryPolicy;
  /** How long the service may take to open the stream. */
  readonly timeoutMs: number;
  /** A connection on which nothing arrives for so long is dead: the service sends heartbeats. */
  readonly silentMs?: number | undefined;
}

const SILENT_MS = 45_000;
/** Pause before reconnecting, unless the service names another. */
const RECONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 30_000;
/** Characters of one event; a longer one is not from the service. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

/**
 * Iterates over the events of a stream without an end. Reconnects with backoff, after the last event, for as long as the
 * caller iterates. Throws an ApiProblem if the first connection fails or if the service refuses a later one for good;
 * BAD_ANSWER if the service answers without a stream, as older ones do.
 */
export async function* streamOf(deps: StreamDeps, row: Endpoint, parts: StreamParts): AsyncGenerator<StreamEvent> {
  const state: State = { lastEventId: parts.lastEventId, retryMs: RECONNECT_MS, failures: 0, isOpened: false };
  for (;;) {
    parts.signal?.throwIfAborted();
    try {
      yield* connection(deps, row, parts, state);
    } catch (error) {
      if (!(error instanceof ApiProblem) || parts.signal?.aborted) throw error;
      // Until it was open once, an unreachable service is an error of the caller's request.
      const attempts = state.isOpened ? Number.POSITIVE_INFINITY : (parts.attempts ?? deps.policy.attempts);
      const policy = { ...deps.policy, attempts };
      const pause = pauseAfter(error, state.failures + 1, policy);
      if (pause === undefined) throw error;
      state.failures++;
      await sleep(Math.min(pause, MAX_RECONNECT_MS), parts.signal);
      continue;
    }
    // The service has ended it, for example because it restarts.
    state.failures++;
    const times = { firstMs: state.retryMs, maxMs: MAX_RECONNECT_MS };
    await sleep(backoffMs(state.failures, times), parts.signal);
  }
}

interface State {
  lastEventId: string | undefined;
  retryMs: number;
  /** Connections in a row that brought nothing. */
  failures: number;
  isOpened: boolean;
}

async function* connection(
  deps: StreamDeps,
  row: Endpoint,
  parts: StreamParts,
  state: State,
): AsyncGenerator<StreamEvent> {
  const dead = new AbortController();
  const signal = parts.signal ? AbortSignal.any([parts.signal, dead.signal]) : dead.signal;
  try {
    const chunks = await opened(deps, row, { ...parts, lastEventId: state.lastEventId }, { dead, signal });
    state.isOpened = true;
    parts.onOpen?.();
    const received: EventSourceMessage[] = [];
    const parser = parserFor(state, received);
    const decoder = new TextDecoder();
    for (;;) {
      const chunk = await within(deps.silentMs ?? SILENT_MS, dead, () => chunks.read());
      if (chunk.done) return;
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      for (const { id, event = 'message', data } of received.splice(0)) {
        const parsed = parse(data);
        if (event === 'error') throw problemOf(parsed) ?? foreign(data);
        yield { id, event, data: parsed };
      }
    }
  } catch (error) {
    if (error instanceof ApiProblem || parts.signal?.aborted) throw error;
    const message = `${row.method} ${row.path}: the connection was lost`;
    throw new ApiProblem({ code: 'NETWORK', status: 0, message, cause: error });
  } finally {
    // Closes the connection when the caller stops iterating.
    dead.abort();
  }
}

type Ending = { readonly dead: AbortController; readonly signal: AbortSignal };

async function opened(deps: StreamDeps, row: Endpoint, parts: StreamParts, { dead, signal }: Ending) {
  const request = requestOf(row, parts, deps.key);
  const headers: Record<string, string> = {
    ...(request.headers as Record<string, string>),
    accept: 'text/event-stream',
  };
  if (parts.lastEventId !== undefined) headers['last-event-id'] = parts.lastEventId;
  const address = addressOf(deps.baseUrl, row, parts);
  const response = await within(deps.timeoutMs, dead, () => deps.fetch(address, { ...request, headers, signal }));
  if (!response.ok) await readResponse(response);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
    const message = `The service does not stream ${row.path}; it may be older than this client.`;
    throw new ApiProblem({ code: 'BAD_ANSWER', status: response.status, message });
  }
  return response.body.getReader();
}

function parserFor(state: State, received: EventSourceMessage[]) {
  const onReceived = () => {
    state.failures = 0;
  };
  return createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onComment: onReceived,
    onRetry: (ms) => {
      state.retryMs = Math.min(ms, MAX_RECONNECT_MS);
    },
    onId: (id) => {
      state.lastEventId = id;
    },
    onEvent: (message) => {
      onReceived();
      received.push(message);
    },
  });
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw foreign(data);
  }
}

const foreign = (data: string) =>
  new ApiProblem({
    code: 'BAD_ANSWER',
    status: 200,
    message: `An event of the stream is not from the Hortus service: ${data.slice(0, 200)}`,
  });
