import { randomInt } from 'node:crypto';
import { SharedTurns, type Turns } from './turns.ts';

/** Shorter values are words that stand everywhere; hiding them would make a log unreadable and protect nothing. */
const SHORTEST = 6;
/** Longer values are looked for piece by piece, so that a part of a long secret is hidden as well. */
const PIECE = 64;
const HIDDEN = '***';
/** The marks around a key in PEM are in every such key. */
const FRAME = /^-----/;

export type Mask = (text: string) => Promise<string>;

/** Positions of a text that are searched without a pause; with the worst secrets and texts that takes some milliseconds. */
export const SLICE = 2_048;

const turns = new SharedTurns();

/**
 * Hides secret values in what a daemon reports. Programs print their addresses and settings when they fail, so a value is
 * looked for in the forms in which templates and programs write it as well: line by line, percent-encoded, in base64 and
 * inside a JSON text.
 *
 * Not a regular expression: a pattern made of long secrets is refused by the engine with an error that quotes all of them.
 * Time grows with the length of the text, not with the number of secrets. Pauses for other work, so it must not be awaited
 * in a transaction.
 */
export async function maskOf(values: readonly string[], pause: Turns = turns): Promise<Mask> {
  const pieces = new Pieces();
  for (const value of new Set(values))
    for (const form of formsOf(value)) {
      if (pause.isOver()) await pause.next();
      pieces.add(form);
    }
  return async (text) => (pieces.isEmpty ? text : await hide(text, pieces, pause));
}

function* formsOf(value: string): Generator<string> {
  // What is too short to be hidden as it is does not become a secret by being written at greater length.
  if (value.length < SHORTEST) return;
  yield value;
  for (const line of value.split(/\r?\n/)) if (!FRAME.test(line.trim())) yield line.trim();
  yield encodeURIComponent(value.toWellFormed());
  yield Buffer.from(value).toString('base64').replace(/=+$/, '');
  yield JSON.stringify(value).slice(1, -1);
}

/** What is looked for: texts of 6 to 64 characters, found by a hash of their first six and then by their length. */
class Pieces {
  readonly #texts = new Set<string>();
  /** Lengths of the pieces that begin with six characters of this hash, the longest first. */
  readonly #lengths = new Map<number, number[]>();
  /** Sieves for the first six characters and for whole pieces: almost nothing else is cut out of a text and looked up. */
  readonly #begins = new Uint8Array(SIEVE);
  readonly #wholes = new Uint8Array(SIEVE);

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  add(form: string): void {
    if (form.length < SHORTEST) return;
    for (let at = 0; at + PIECE <= form.length; at += PIECE) this.#put(form.slice(at, at + PIECE));
    if (form.length % PIECE !== 0) this.#put(form.slice(-PIECE));
  }

  #put(piece: string): void {
    if (this.#texts.has(piece)) return;
    this.#texts.add(piece);
    const hash = hashOf(piece, SHORTEST);
    this.#begins[hash & LAST] = 1;
    this.#wholes[hashOf(piece, piece.length) & LAST] = 1;
    const lengths = this.#lengths.get(hash);
    if (lengths === undefined) this.#lengths.set(hash, [piece.length]);
    else if (!lengths.includes(piece.length)) lengths.push(piece.length) && lengths.sort((a, b) => b - a);
  }

  /** Length of the longest piece at this position that reaches beyond `end`; 0 if there is none. */
  lengthAt(text: string, hashes: Hashes, at: number, end: number): number {
    const hash = hashes.of(at, SHORTEST);
    if (this.#begins[hash & LAST] === 0) return 0;
    for (const length of this.#lengths.get(hash) ?? []) {
      if (at + length <= end) return 0;
      if (at + length > text.length || this.#wholes[hashes.of(at, length) & LAST] === 0) continue;
      if (this.#texts.has(text.slice(at, at + length))) return length;
    }
    return 0;
  }
}

const SIEVE = 2 ** 18;
const LAST = SIEVE - 1;
/** Odd, and drawn at random, so that texts whose parts all have the same hash cannot be prepared. */
const FACTOR = randomInt(2 ** 30, 2 ** 31) | 1;
const POWERS = Int32Array.from({ length: PIECE + 1 }, (_, exponent) => {
  let power = 1;
  for (let i = 0; i < exponent; i++) power = Math.imul(power, FACTOR);
  return power;
});

/** Hashes of all parts of a slice of a text, each at the cost of one multiplication. */
class Hashes {
  readonly #sums: Int32Array;
  readonly #from: number;

  constructor(text: string, from: number) {
    // A piece may begin in this slice and end in the next.
    const length = Math.min(text.length - from, SLICE + PIECE);
    this.#sums = new Int32Array(length + 1);
    this.#from = from;
    let sum = 0;
    for (let i = 0; i < length; i++) {
      sum = (Math.imul(sum, FACTOR) + text.charCodeAt(from + i)) | 0;
      this.#sums[i + 1] = sum;
    }
  }

  of(at: number, length: number): number {
    const sums = this.#sums;
    const begin = at - this.#from;
    return mixed((sums[begin + length] as number) - Math.imul(sums[begin] as number, POWERS[length] as number));
  }
}

/** The same for the beginning of a text. */
function hashOf(text: string, length: number): number {
  let sum = 0;
  for (let at = 0; at < length; at++) sum = (Math.imul(sum, FACTOR) + text.charCodeAt(at)) | 0;
  return mixed(sum);
}

const mixed = (sum: number): number => (sum | 0) ^ (sum >>> 15);

/** Hides everything that a piece covers; pieces that overlap or touch become one mark. */
async function hide(text: string, pieces: Pieces, pause: Turns): Promise<string> {
  const parts: string[] = [];
  let copied = 0;
  let begin = -1;
  let end = 0;
  for (let from = 0; from + SHORTEST <= text.length; from += SLICE) {
    if (pause.isOver()) await pause.next();
    const hashes = new Hashes(text, from);
    const last = Math.min(from + SLICE, text.length - SHORTEST + 1);
    for (let at = from; at < last; at++) {
      const length = pieces.lengthAt(text, hashes, at, end);
      if (length === 0) continue;
      if (begin < 0 || at > end) {
        if (begin >= 0) {
          parts.push(text.slice(copied, begin), HIDDEN);
          copied = end;
        }
        begin = at;
      }
      end = at + length;
    }
  }
  if (begin < 0) return text;
  parts.push(text.slice(copied, begin), HIDDEN, text.slice(end));
  return parts.join('');
}
