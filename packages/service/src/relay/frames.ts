import { applyMask, type Control, FrameScanner, frameHeader } from '@hortus/contract/frames';

/**
 * Turns the frames of one end, which are masked, into frames for the other, which are not. The content is neither collected nor
 * copied: of what comes in, the same memory goes out, with other headers. Frames that are for us alone are not handed on.
 */
export class FrameTurner {
  readonly #scanner: FrameScanner;
  #out: Buffer[] = [];
  #mask: Buffer | undefined;
  #unmasked = 0;
  #carried = 0;

  constructor(onControl: (kind: Control, payload: Buffer) => void) {
    this.#scanner = new FrameScanner('client', {
      begin: ({ first, length, mask }) => {
        this.#mask = mask;
        this.#unmasked = 0;
        this.#out.push(frameHeader(first, length));
      },
      content: (part) => {
        if (this.#mask) applyMask(part, this.#mask, this.#unmasked);
        this.#unmasked += part.length;
        this.#carried += part.length;
        this.#out.push(part);
      },
      end: () => undefined,
      control: onControl,
    });
  }

  /** Bytes of content that were given out so far. */
  get carried(): number {
    return this.#carried;
  }

  /** Whether what was given out so far ends with a whole frame. */
  get betweenFrames(): boolean {
    return this.#scanner.betweenFrames;
  }

  /** What of these bytes goes to the other end, in its order. */
  turn(bytes: Buffer): Buffer[] {
    this.#out = [];
    this.#scanner.read(bytes);
    return this.#out;
  }
}
