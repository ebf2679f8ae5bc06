import type { IncomingMessage } from 'node:http';
import type { LogChunk, LogPiece } from '../engine.ts';
import type { DockerApi } from './docker-api.ts';
import { objectPath } from './object-path.ts';

/** Longest part of one message; the engine splits longer lines itself, at 16 KiB. */
const MAX = 64 * 1024;
const HEADER = 8;
const NEWLINE = 10;

/** Follows the log of a container. Each message of the engine starts with its time. */
export async function* followLogs(
  api: DockerApi,
  id: string,
  since: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogChunk> {
  const operation = `follow the log of container ${id}`;
  const path = objectPath('containers', id, operation);
  const call = { operation, method: 'GET', timeout: api.timeouts.quick, signal } as const;
  const facts = await api.json<{ Config: { Tty?: boolean } }>({ ...call, path: `${path}/json` });
  const query = { stdout: 'true', stderr: 'true', follow: 'true', timestamps: 'true', since };
  const stream = await api.stream({ ...call, path: `${path}/logs`, query }, { mayBeSilent: true });
  // A terminal has a single stream without frames.
  yield* piecesOf(stream, facts.Config.Tty ? new TerminalMessages() : new FramedMessages());
}

/** Follows the log of a task of a Swarm, through its manager. The API does not say whether a task has a terminal. */
export async function* followTaskLogs(
  api: DockerApi,
  id: string,
  since: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogChunk> {
  const operation = `follow the log of task ${id}`;
  const path = `${objectPath('tasks', id, operation)}/logs`;
  const query = { stdout: 'true', stderr: 'true', follow: 'true', timestamps: 'true', since };
  const call = { operation, method: 'GET', path, query, timeout: api.timeouts.quick, signal } as const;
  yield* piecesOf(await api.stream(call, { mayBeSilent: true }), new FramedMessages());
}

async function* piecesOf(
  stream: IncomingMessage,
  messages: FramedMessages | TerminalMessages,
): AsyncGenerator<LogChunk> {
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      yield { pieces: messages.add(chunk), bytes: chunk.length };
    }
  } finally {
    stream.destroy();
  }
}

/** Collects messages from frames: one byte for the stream, three unused, four for the length, and the content. */
export class FramedMessages {
  #head: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #kept = 0;
  #missing = 0;
  #stream: LogPiece['stream'] = 'stdout';

  add(chunk: Buffer): LogPiece[] {
    const pieces: LogPiece[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#missing === 0) {
        const taken = rest.subarray(0, HEADER - this.#head.length);
        this.#head = Buffer.concat([this.#head, taken]);
        rest = rest.subarray(taken.length);
        if (this.#head.length < HEADER) break;
        this.#stream = this.#head[0] === 2 ? 'stderr' : 'stdout';
        this.#missing = this.#head.readUInt32BE(4);
        this.#head = Buffer.alloc(0);
        continue;
      }
      const part = rest.subarray(0, this.#missing);
      rest = rest.subarray(part.length);
      this.#missing -= part.length;
      this.#keep(part);
      if (this.#missing === 0) pieces.push(...this.#message());
    }
    return pieces;
  }

  /** Keeps the beginning and the last byte, which tells whether the line ends. */
  #keep(part: Buffer): void {
    const kept = part.subarray(0, Math.max(0, MAX - this.#kept));
    this.#kept += kept.length;
    if (kept.length > 0) this.#parts.push(kept);
    if (kept.length < part.length && this.#missing === 0) this.#parts.push(part.subarray(-1));
  }

  #message(): LogPiece[] {
    const [only = Buffer.alloc(0)] = this.#parts;
    const message = this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#kept = 0;
    return pieceOf(this.#stream, message);
  }
}

/** Splits the output of a terminal at line ends. */
export class TerminalMessages {
  #rest: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): LogPiece[] {
    const pieces: LogPiece[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const message = Buffer.concat([this.#rest, chunk.subarray(from, end + 1)]);
      this.#rest = Buffer.alloc(0);
      pieces.push(...pieceOf('stdout', message));
      from = end + 1;
    }
    const rest = chunk.subarray(from, from + Math.max(0, MAX - this.#rest.length));
    if (rest.length > 0) this.#rest = Buffer.concat([this.#rest, rest]);
    return pieces;
  }
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const MAX_TIME_LENGTH = 40;

/** Separates the time from the content; a message without one is left out. */
function pieceOf(stream: LogPiece['stream'], message: Buffer): LogPiece[] {
  const space = message.subarray(0, MAX_TIME_LENGTH).indexOf(' ');
  const at = space < 0 ? undefined : timeOf(message.toString('latin1', 0, space));
  if (at === undefined) return [];
  const ends = message.at(-1) === NEWLINE;
  return [{ stream, at, content: message.subarray(space + 1, ends ? -1 : undefined), ends }];
}

function timeOf(text: string): string | undefined {
  const [, whole, fraction = '', zone] = TIME.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return `${secondsOf(whole + zone)}.${fraction.padEnd(9, '0')}`;
}

/** Parses a time without its fraction; consecutive lines mostly share it. */
function secondsOf(text: string): string {
  if (text !== lastText) {
    lastText = text;
    lastSeconds = String(Date.parse(text) / 1_000).padStart(10, '0');
  }
  return lastSeconds;
}
let lastText = '';
let lastSeconds = '';
