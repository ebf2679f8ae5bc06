/** Keeps the beginning and the end of an output; the middle matters least. */
export class BoundedOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #leftOut = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  get truncated(): boolean {
    return this.#leftOut > 0;
  }

  add(chunk: Buffer): void {
    const room = this.#half - this.#headSize;
    if (room > 0) {
      const first = chunk.subarray(0, room);
      this.#head.push(first);
      this.#headSize += first.length;
      chunk = chunk.subarray(first.length);
    }
    if (chunk.length === 0) return;
    this.#tail.push(chunk);
    this.#tailSize += chunk.length;
    // Trimmed only now and then: trimming at every chunk would copy the whole tail each time.
    if (this.#tailSize > this.#half * 2) this.#cut();
  }

  /** Returns the text; replaces zero bytes, which some databases reject. */
  toString(): string {
    this.#cut();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const text = this.truncated
      ? `${withoutBrokenEnd(head)}\n[… ${this.#leftOut} bytes omitted …]\n${withoutBrokenStart(tail)}`
      : Buffer.concat([head, tail]).toString('utf8');
    return text.replaceAll('\0', '\uFFFD');
  }

  #cut(): void {
    const excess = this.#tailSize - this.#half;
    if (excess <= 0) return;
    this.#tail = [Buffer.from(Buffer.concat(this.#tail).subarray(excess))];
    this.#tailSize -= excess;
    this.#leftOut += excess;
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function withoutBrokenStart(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.toString('utf8', start);
}

function withoutBrokenEnd(bytes: Buffer): string {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.toString('utf8', 0, start + length > bytes.length ? start : bytes.length);
}
