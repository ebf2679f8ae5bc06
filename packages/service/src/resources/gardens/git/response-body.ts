/** Sizes of pieces are chosen by the server; a real one sends thousands, not millions. */
const MAX_PIECES = 50_000;
const FIRST_BYTES = 16 * 1024;

/**
 * Collects an answer in one buffer. A list of its pieces would need a hundred times their size if a server sends single
 * bytes, because each piece is an object that keeps the packet it came in.
 */
export class ResponseBody {
  readonly #max: number;
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #pieces = 0;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Returns false if the answer is too large, or in too many pieces. */
  add(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    this.#pieces++;
    if (length > this.#max || this.#pieces > MAX_PIECES) return false;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#max, Math.max(length, 2 * this.#buffer.length)));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
    return true;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
