import type { FromShell, ToShell } from '@hortus/contract/protocol/shell';
import { SHELL_PIECE_BYTES, SHELL_WINDOW_BYTES, shellOutput } from '@hortus/contract/protocol/shell-window';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import WebSocket from 'ws';
import { ApiProblem } from '../problem.ts';
import { problemOf } from '../response.ts';

export interface ShellOptions {
  /** With the version segment. */
  readonly baseUrl: string;
  readonly key: string;
  readonly sessionId: string;
  /** Whether the session has a terminal; output of one is all `stdout`. */
  readonly terminal: boolean;
  /** Takes output, in order. Resolves when it was written; the container waits for a slow one. */
  readonly output: (stream: 'stdout' | 'stderr', data: Uint8Array) => Promise<void>;
}

/** The service sends a ping every 15 seconds. */
const SILENT_MS = 60_000;
/** Output is confirmed in steps; single characters need no confirmation of their own. */
const ACK_BYTES = SHELL_WINDOW_BYTES / 8;

/** The client's end of a shell. */
export class ShellConnection {
  /** Resolves when the command runs; rejects as `exited` does. */
  readonly started: Promise<void>;
  /** Resolves with the exit code after all output was written; rejects with an ApiProblem. */
  readonly exited: Promise<number>;
  readonly #options: ShellOptions;
  readonly #socket: WebSocket;
  #settle: { done: (code: number) => void; fail: (error: unknown) => void } = { done: () => {}, fail: () => {} };
  #start: () => void = () => {};
  #written: Promise<void> = Promise.resolve();
  #unconfirmed = 0;
  #taken = 0;
  #isOpen = false;
  #waiting: (() => void)[] = [];
  #silence: NodeJS.Timeout | undefined;

  constructor(options: ShellOptions) {
    this.#options = options;
    const { baseUrl, key, sessionId } = options;
    this.exited = new Promise((done, fail) => {
      this.#settle = { done, fail };
    });
    this.started = new Promise((done, fail) => {
      this.#start = done;
      this.exited.then(() => done(), fail);
    });
    // Who awaits them sees a failure; until then it is not an unhandled one.
    this.started.catch(() => {});
    this.#socket = new WebSocket(
      `${baseUrl.replace(/^http/, 'ws')}/ws/shell?session_id=${encodeURIComponent(sessionId)}`,
      {
        perMessageDeflate: false,
        handshakeTimeout: 15_000,
        followRedirects: false,
        headers: { authorization: `Bearer ${key}` },
      },
    );
    this.#listen();
  }

  /** Sends input. Resolves when more may follow: the command may not read it yet. */
  async write(data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length; at += SHELL_PIECE_BYTES) {
      const piece = data.subarray(at, at + SHELL_PIECE_BYTES);
      while (!this.#hasRoomFor(piece.length)) {
        if (this.#isClosed) return;
        await new Promise<void>((done) => this.#waiting.push(done));
      }
      this.#unconfirmed += piece.length;
      this.#socket.send(piece);
    }
  }

  resize(size: { cols: number; rows: number }): void {
    this.#notify({ type: 'resize', ...size });
  }

  /** Ends the input of a command without a terminal. Await all writes before. */
  endInput(): void {
    this.#notify({ type: 'eof' });
  }

  close(): void {
    this.#socket.terminate();
  }

  get #isClosed(): boolean {
    return this.#socket.readyState >= WebSocket.CLOSING;
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#isOpen && !this.#isClosed && this.#unconfirmed + bytes <= SHELL_WINDOW_BYTES;
  }

  #notify(message: ToShell): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #listen(): void {
    const socket = this.#socket;
    const broken = (error: unknown) => {
      this.#settle.fail(error);
      socket.terminate();
    };
    const opened = () => {
      this.#isOpen = true;
      this.#received();
      this.#release();
    };
    const received = (data: WebSocket.RawData, isBinary: boolean) => {
      this.#received();
      if (isBinary) this.#output(data as Buffer);
      else this.#receive(JSON.parse(String(data)) as FromShell);
    };
    const refused = (_: unknown, response: NodeJS.ReadableStream & { statusCode?: number }) => {
      let body = '';
      const add = (piece: Buffer) => {
        body += piece;
      };
      const ended = () => broken(refusalOf(body, response.statusCode ?? 0));
      response.on('data', guardedBy(broken, add));
      response.on('end', guardedBy(broken, ended));
    };
    const failed = (error: Error) => broken(lost(error));
    const closed = () => {
      clearTimeout(this.#silence);
      this.#release();
      this.#settle.fail(lost());
    };
    const onReceived = () => this.#received();
    socket.on('open', guardedBy(broken, opened));
    socket.on('message', guardedBy(broken, received));
    socket.on('ping', guardedBy(broken, onReceived));
    socket.on('unexpected-response', guardedBy(broken, refused));
    socket.on('error', guardedBy(broken, failed));
    socket.on('close', guardedBy(broken, closed));
  }

  #received(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      guardedBy(
        () => {},
        () => this.close(),
      ),
      SILENT_MS,
    );
  }

  #receive(message: FromShell): void {
    switch (message.type) {
      case 'started':
        this.#start();
        break;
      case 'ack':
        this.#unconfirmed -= message.bytes;
        this.#release();
        break;
      case 'exit':
        this.#written.then(() => this.#settle.done(message.code), this.#settle.fail);
        break;
      case 'error': {
        const { code, message: words, reason } = message;
        const problem = new ApiProblem({ code, status: 0, message: words, details: reason ? { reason } : {} });
        this.#written.then(() => this.#settle.fail(problem), this.#settle.fail);
        break;
      }
    }
  }

  /** Confirms output once it was written. */
  #output(message: Buffer): void {
    const { terminal, output } = this.#options;
    const stream = !terminal && message[0] === shellOutput.stderr ? 'stderr' : 'stdout';
    const data = terminal ? message : message.subarray(1);
    this.#written = this.#written.then(async () => {
      await output(stream, data);
      this.#taken += message.length;
      if (this.#taken < ACK_BYTES) return;
      this.#notify({ type: 'ack', bytes: this.#taken });
      this.#taken = 0;
    });
    this.#written.catch((error) => {
      this.#settle.fail(error);
      this.close();
    });
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}

function refusalOf(body: string, status: number): ApiProblem {
  try {
    const problem = problemOf(JSON.parse(body), { status });
    if (problem) return problem;
  } catch {
    // Not from the service.
  }
  return new ApiProblem({ code: 'BAD_ANSWER', status, message: `The service answered with HTTP ${status}.` });
}

const lost = (cause?: unknown): ApiProblem =>
  new ApiProblem({ code: 'NETWORK', status: 0, message: 'The connection to the service was lost.', cause });
