import { invalid } from '../../problem.ts';
import { MAX_LEVELS } from './nesting.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the values of a JSON text and their nesting while its bytes arrive. Parsing costs up to a microsecond per
 * value, and recursive code overflows at some thousand levels, so both are limited before parsing.
 */
export class JsonSize {
  values = 0;
  readonly #maxValues: number;
  #depth = 0;
  #inText = false;
  /** Whether the last chunk ended with a backslash, which escapes the first byte of the next one. */
  #escaped = false;

  constructor(maxValues: number) {
    this.#maxValues = maxValues;
  }

  /** Throws if a limit is exceeded. */
  add(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#inText ? this.#skipText(chunk, at) : this.#count(chunk, at);
    if (this.values > this.#maxValues) throw invalid('body', `must not contain more than ${this.#maxValues} values.`);
  }

  /** Counts up to the quote that starts the next string; returns the offset after it. */
  #count(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.#inText = true;
        return at + 1;
      }
      if (byte === COMMA) this.values++;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.values++;
        this.#depth++;
        if (this.#depth > MAX_LEVELS) throw invalid('body', `must not be nested deeper than ${MAX_LEVELS} levels.`);
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth--;
    }
    return chunk.length;
  }

  /** Skips to the end of the string; returns the offset after its quote. */
  #skipText(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.#inText = false;
        return at + 1;
      }
      if (byte === BACKSLASH) at++;
    }
    this.#escaped = at > chunk.length;
    return chunk.length;
  }
}
