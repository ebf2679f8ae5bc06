import { FromShell, ToShell } from '@hortus/contract/protocol/shell';
import { Compile } from 'typebox/compile';
import { Problem } from '../../problem.ts';
import type { Guard } from '../../process/guard.ts';
import type { SocketStream } from '../../streams/socket-stream.ts';
import { streamJson } from '../../streams/stream-json.ts';
import { FlowWindow } from './flow-window.ts';
import type { Recorder } from './recorder.ts';
import { type Ending, unrecorded } from './service.ts';

export interface RunningShellDeps {
  readonly user: SocketStream;
  readonly daemon: SocketStream;
  readonly hasTerminal: boolean;
  readonly recorder: Pick<Recorder, 'output' | 'finish'>;
  /** Returns why the client may no longer have the session. */
  readonly recheck: () => Promise<Problem | undefined>;
  /** The daemon has started the command in this component. */
  readonly entered: (component: string) => Promise<void>;
  readonly guard: Guard;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly idleMs?: number;
}

/** A session ends after this time without input and output. */
export const IDLE_MS = 30 * 60_000;

const toShell = Compile(ToShell);
const fromShell = Compile(FromShell);

/** Passes the messages of a client and of a daemon on to each other, and records the output. */
export class RunningShell {
  readonly #deps: RunningShellDeps;
  readonly #input = new FlowWindow();
  readonly #output = new FlowWindow();
  readonly #ended: Promise<Ending>;
  #end: (ending: Ending) => void = () => {};
  #isOver = false;
  #hasStarted = false;
  #usedAt: number;

  constructor(deps: RunningShellDeps) {
    this.#deps = deps;
    this.#usedAt = deps.clock();
    this.#ended = new Promise((done) => {
      this.#end = done;
    });
  }

  /** Resolves when the session has ended and its recording is stored. */
  async run(): Promise<Ending> {
    const { user, daemon, guard, recorder } = this.#deps;
    const gone = () => this.finish('disconnected');
    const lost = () => this.finish('server_lost', serverLost());
    user.signal.addEventListener('abort', guard(gone), { once: true });
    daemon.signal.addEventListener('abort', guard(lost), { once: true });
    daemon.listen(async (data, isBinary) => {
      await this.#fromDaemon(data, isBinary);
      // A client that does not read stops the daemon.
      if (!this.#isOver) await user.drained();
    });
    user.listen((data, isBinary) => this.#fromUser(data, isBinary));
    if (user.signal.aborted) gone();
    if (daemon.signal.aborted) lost();
    const ending = await this.#ended;
    try {
      await recorder.finish();
    } finally {
      daemon.close();
      user.close();
    }
    return ending;
  }

  /** Ends idle sessions, those of revoked credentials, and those of clients that do not answer. Called at intervals. */
  async poll(): Promise<void> {
    const { clock, idleMs = IDLE_MS, user } = this.#deps;
    if (clock() - this.#usedAt >= idleMs) return this.finish('idle', idle(idleMs));
    if (!(await user.ping())) return this.finish('disconnected');
    await this.recheck();
  }

  /** Ends the session if its client may no longer have it. */
  async recheck(): Promise<void> {
    const refusal = this.#isOver ? undefined : await this.#deps.recheck();
    if (refusal) this.finish('revoked', refusal);
  }

  /** Idempotent. The client is told the problem. */
  finish(ending: Ending['ending'], problem?: Problem, exitCode: number | null = null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (problem) this.#notify(messageOf(problem));
    this.#end({ ending, exit_code: exitCode });
  }

  /** Waits while the daemon does not read, which stops the client. */
  async #fromUser(data: Buffer, isBinary: boolean): Promise<void> {
    if (this.#isOver) return;
    const { daemon } = this.#deps;
    const passed = isBinary ? this.#typed(data) : this.#controlled(data);
    if (passed === undefined) return;
    // A daemon that is closing has sent the exit code, which may still wait to be handled.
    if (!daemon.send(passed) && daemon.isOpen) return this.finish('server_lost', serverLost());
    await daemon.drained();
  }

  #typed(data: Buffer): Buffer | undefined {
    this.#usedAt = this.#deps.clock();
    if (data.length > 0 && this.#input.send(data.length)) return data;
    this.finish('failed', data.length > 0 ? overrun() : malformed());
    return undefined;
  }

  #controlled(data: Buffer): string | undefined {
    const message = parsed(toShell, data);
    if (!message || (message.type === 'eof' && this.#deps.hasTerminal)) {
      this.finish('failed', malformed());
      return undefined;
    }
    if (message.type !== 'ack' || this.#output.confirm(message.bytes)) return JSON.stringify(message);
    this.finish('failed', overrun());
    return undefined;
  }

  async #fromDaemon(data: Buffer, isBinary: boolean): Promise<void> {
    if (this.#isOver) return;
    if (isBinary) return await this.#fromContainer(data);
    const message = parsed(fromShell, data);
    if (!message) return this.finish('failed', serverLost());
    switch (message.type) {
      case 'started':
        // Each one is written to the database.
        if (this.#hasStarted) return this.finish('failed', serverLost());
        this.#hasStarted = true;
        this.#notify(message);
        await this.#deps.entered(message.component);
        break;
      case 'ack':
        if (!this.#input.confirm(message.bytes)) return this.finish('failed', serverLost());
        this.#notify(message);
        break;
      case 'exit':
        this.#notify(message);
        this.finish('exited', undefined, message.code);
        break;
      case 'error':
        this.#notify(message);
        this.finish('refused');
        break;
    }
  }

  /** Recorded before it is shown. What cannot be stored ends the session, two seconds later at the latest. */
  async #fromContainer(data: Buffer): Promise<void> {
    const { user, recorder } = this.#deps;
    this.#usedAt = this.#deps.clock();
    if (data.length === 0 || !this.#output.send(data.length)) return this.finish('failed', serverLost());
    try {
      await recorder.output(data);
    } catch {
      return this.finish('failed', unrecorded());
    }
    if (this.#isOver) return;
    if (!user.send(data)) this.finish('disconnected');
  }

  #notify(message: FromShell): void {
    this.#deps.user.send(JSON.stringify(message));
  }
}

/** Undefined if the message is malformed. */
function parsed<Message>(form: { Check(value: unknown): value is Message }, data: Buffer): Message | undefined {
  try {
    const message: unknown = streamJson(data);
    return form.Check(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

export const messageOf = ({ code, message, details }: Problem): FromShell => ({
  type: 'error',
  code,
  message,
  ...(typeof details?.reason === 'string' && { reason: details.reason }),
});

const idle = (ms: number) =>
  new Problem('FORBIDDEN', `The session was ended after ${Math.round(ms / 60_000)} minutes without input and output.`, {
    reason: 'idle',
  });

const serverLost = () =>
  new Problem('SERVER_ERROR', 'The connection to the server of the instance was lost. Open another session.', {
    reason: 'server_lost',
  });

const malformed = () =>
  new Problem('VALIDATION_ERROR', 'message: is not one of a shell; docs/decisions/shell.md lists them.', {
    reason: 'invalid',
  });

const overrun = () =>
  new Problem('VALIDATION_ERROR', 'message: does not respect the window of 256 KiB; wait for ack.', {
    reason: 'invalid',
  });
