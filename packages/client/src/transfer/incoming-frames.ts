import { BrokenFrame, type Control, FrameScanner, opcodes } from '@hortus/contract/frames';

/** Whatever two ends say to each other in words is far shorter. */
const LONGEST_TEXT = 64 * 1024;

/**
 * What a service sends: texts whole, bytes in whatever pieces they come in, each of which is a part of the memory it came in.
 * Where one message of bytes ends and the next begins does not matter to anybody.
 */
export class IncomingFrames {
  readonly #scanner: FrameScanner;
  #heard: (string | Buffer)[] = [];
  /** The text that is coming; undefined while bytes come. */
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

  /** What is heard with these bytes, in its order. */
  read(bytes: Buffer): (string | Buffer)[] {
    this.#heard = [];
    this.#scanner.read(bytes);
    return this.#heard;
  }

  #collect(text: Buffer[], part: Buffer): void {
    this.#textBytes += part.length;
    if (this.#textBytes > LONGEST_TEXT) throw new BrokenFrame('a text that is too long');
    // The memory that it came in is let go of.
    text.push(Buffer.from(part));
  }
}
