import { type FromShell, ShellOrder, ToShell } from '@hortus/contract/protocol/shell';
import { SHELL_PIECE_BYTES, SHELL_WINDOW_BYTES, shellOutput } from '@hortus/contract/protocol/shell-window';
import { checkSchema, isMapping, type Schema } from '@hortus/template/schema/schema-check';
import type { TSchema } from 'typebox';
import type { AttachedExec, ExecOutput, TerminalSize } from '../engine/engine.ts';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import type { Stream, StreamOpening } from '../streams/stream.ts';
import { ShellInput } from './shell-input.ts';

/** Confirmed together; single keys need no confirmation of their own. */
const ACK_BYTES = SHELL_WINDOW_BYTES / 8;

/** What the client reaches once the command runs. */
export type Inside = Pick<AttachedExec, 'input'> & { resize(size: TerminalSize): void };

/** The messages of one shell: holds input until the command runs, and output until the client has read enough. */
export class ShellLink {
  readonly #stream: Stream;
  readonly #order: Promise<ShellOrder>;
  readonly #input: ShellInput;
  #hasTerminal = true;
  #resize: ((size: TerminalSize) => void) | undefined;
  /** A size that has arrived before the command runs. */
  #size: TerminalSize | undefined;
  /** Input that the command has taken and that is not confirmed yet. */
  #taken = 0;
  #unconfirmed = 0;
  #room: (() => void) | undefined;

  constructor(stream: Stream, requireSigned: StreamOpening['requireSigned'], log: Log) {
    this.#stream = stream;
    this.#input = new ShellInput((bytes) => this.#confirm(bytes), log);
    this.#order = new Promise((resolve, reject) => {
      const closed = () => {
        reject(new Error('the stream was closed'));
        this.#room?.();
      };
      stream.signal.addEventListener('abort', guarded(log, closed), { once: true });
      let ordered = false;
      stream.listen((data, isBinary) => {
        try {
          if (ordered) return this.#receive(data, isBinary);
          ordered = true;
          const order = parsed<ShellOrder>(ShellOrder, data);
          requireSigned(order);
          this.#hasTerminal = order.tty;
          resolve(order);
        } catch (error) {
          reject(error);
          log.warn({ err: error }, 'a shell was ended because a message was malformed, or is not an order for it');
          stream.close();
        }
      });
    });
  }

  /** The first message of the service. */
  order(): Promise<ShellOrder> {
    return this.#order;
  }

  notify(message: FromShell): void {
    this.#stream.send(JSON.stringify(message));
  }

  /** Passes what has arrived, and everything that follows, to the command. */
  connect({ input, resize }: Inside): void {
    this.#resize = resize;
    if (this.#size) resize(this.#size);
    this.#input.connect(input);
  }

  /** Sends output in pieces. Waits while the client has not confirmed enough, which stops the command. */
  async output({ stream, chunk }: ExecOutput): Promise<void> {
    for (let at = 0; at < chunk.length && !this.#stream.signal.aborted; at += SHELL_PIECE_BYTES) {
      const piece = chunk.subarray(at, at + SHELL_PIECE_BYTES);
      await this.#send(this.#hasTerminal ? piece : Buffer.concat([Buffer.of(shellOutput[stream]), piece]));
    }
  }

  async #send(message: Buffer): Promise<void> {
    while (!this.#stream.signal.aborted && this.#unconfirmed + message.length > SHELL_WINDOW_BYTES)
      await new Promise<void>((done) => {
        this.#room = done;
      });
    this.#unconfirmed += message.length;
    while (!this.#stream.signal.aborted && !this.#stream.send(message)) await this.#stream.drained();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      this.#input.add(data);
      return;
    }
    const message = parsed<ToShell>(ToShell, data);
    switch (message.type) {
      case 'ack':
        this.#unconfirmed -= message.bytes;
        this.#room?.();
        break;
      case 'resize':
        if (this.#resize) this.#resize(message);
        else this.#size = message;
        break;
      case 'eof':
        // The engine would detach from a terminal, and the command would go on.
        if (this.#hasTerminal) throw new Error('input of a terminal cannot be ended');
        this.#input.end();
        break;
    }
  }

  #confirm(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < ACK_BYTES) return;
    // A message confirms at most one window.
    const confirmed = Math.min(this.#taken, SHELL_WINDOW_BYTES);
    this.#taken -= confirmed;
    this.notify({ type: 'ack', bytes: confirmed });
  }
}

function parsed<Message>(schema: TSchema, data: Buffer): Message {
  const message: unknown = JSON.parse(data.toString());
  const type = isMapping(message) ? message.type : undefined;
  // The checker tells alternatives apart by the type of the value alone; here all are mappings.
  const { anyOf } = schema as Schema;
  const form = anyOf ? anyOf.find(({ properties }) => properties?.type?.const === type) : schema;
  const [remark] = form ? checkSchema(form, message) : [{ message: 'its type is unknown' }];
  if (remark) throw new Error(`the message is malformed: ${remark.message}`);
  return message as Message;
}
