import { BrokenFrame, type Control, FrameScanner, opcodes } from '@hortus/contract/frames';

/** Limit for text messages; real ones are far shorter. */
const LONGEST_TEXT = 64 * 1024;

/**
 * Decodes the frames that the service sends. Texts come out whole; binary content comes out in arbitrary pieces that
 * share the memory they arrived in. Boundaries between binary messages are not kept.
 */
export class IncomingFrames {
  readonly #scanner: FrameScanner;
  #heard: (string | Buffer)[] = [];
  /** Parts of the current text message; undefined during a binary one. */
  #text: Buffer[] | undefined;
  #textBytes = 0;
  #isLast = true;

  constructor(onControl: (kind: Control, payload: Buffer) => void) {
    this.#scanner = new FrameScanner('service', {
      begin: ({ opcode, isLast }) => {
        this.#isLast = isLast;
        if (opcode === opcodes.text) this.#text = [];
        if (opcode === opcodes.binary) this.#text = undefined;
      },
      content: (part) => {
        if (this.#text) this.#collect(this.#text, part);
        else this.#heard.push(part);
      },
      end: () => {
        if (!this.#isLast || !this.#text) return;
        this.#heard.push(Buffer.concat(this.#text).toString());
        this.#text = undefined;
        this.#textBytes = 0;
      },
      control: onControl,
    });
  }

  /** Returns the messages that these bytes complete, in order. */
  read(bytes: Buffer): (string | Buffer)[] {
    this.#heard = [];
    this.#scanner.read(bytes);
    return this.#heard;
  }

  #collect(text: Buffer[], part: Buffer): void {
    this.#textBytes += part.length;
    if (this.#textBytes > LONGEST_TEXT) throw new BrokenFrame('a text message over 64 KiB');
    // Copied, so that the receive buffer can be reused.
    text.push(Buffer.from(part));
  }
}
