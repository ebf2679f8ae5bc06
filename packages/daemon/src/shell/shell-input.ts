import type { Writable } from 'node:stream';
import { SHELL_PIECE_BYTES, SHELL_WINDOW_BYTES } from '@hortus/contract/protocol/shell-window';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';

/**
 * Input on its way to a command, which may not run or read yet. Copied into blocks, so that a window of single bytes costs no
 * more memory than one of large messages.
 */
export class ShellInput {
  readonly #taken: (bytes: number) => void;
  readonly #log: Log;
  readonly #blocks: Buffer[] = [];
  /** Bytes in the last block. */
  #filled = 0;
  /** Bytes that the command has not taken. */
  #waiting = 0;
  #command: Writable | undefined;
  #isWriting = false;
  #isEnded = false;

  /** `taken` is called with the number of bytes that the command has taken. */
  constructor(taken: (bytes: number) => void, log: Log) {
    this.#taken = taken;
    this.#log = log;
  }

  /** Throws if the sender does not respect the window, or has ended the input. */
  add(data: Buffer): void {
    if (this.#isEnded) throw new Error('input has arrived after its end');
    this.#waiting += data.length;
    if (this.#waiting > SHELL_WINDOW_BYTES) throw new Error('the window was exceeded');
    for (let at = 0; at < data.length; ) {
      const copied = data.copy(this.#block(), this.#filled, at);
      this.#filled += copied;
      at += copied;
    }
    this.#pass();
  }

  /** Ends the input of the command after everything before. */
  end(): void {
    this.#isEnded = true;
    this.#pass();
  }

  /** Passes input to the command from now on. */
  connect(command: Writable): void {
    this.#command = command;
    this.#pass();
  }

  #block(): Buffer {
    const last = this.#blocks.at(-1);
    if (last && this.#filled < last.length) return last;
    const block = Buffer.allocUnsafe(SHELL_PIECE_BYTES);
    this.#blocks.push(block);
    this.#filled = 0;
    return block;
  }

  #pass(): void {
    if (!this.#command || this.#isWriting) return;
    const block = this.#blocks.shift();
    if (!block) {
      if (this.#isEnded) this.#command.end();
      return;
    }
    const piece = this.#blocks.length === 0 ? block.subarray(0, this.#filled) : block;
    this.#isWriting = true;
    const written = () => {
      this.#isWriting = false;
      this.#waiting -= piece.length;
      this.#taken(piece.length);
      this.#pass();
    };
    this.#command.write(piece, guarded(this.#log, written));
  }
}
