import { randomInt } from 'node:crypto';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { SharedTurns, type Turns } from './turns.ts';

/** Minimum length of hidden values: shorter ones are common words, and hiding them would make logs unreadable. */
const MIN_LENGTH = 6;
/** Longer values are split into pieces, so that parts of a long secret are hidden too. */
const PIECE = 64;
const HIDDEN = '***';
/** PEM delimiters, which occur in every key. */
const FRAME = /^-----/;

export type Mask = (text: string) => Promise<string>;

/** Positions of a text that are searched without a pause, which takes some milliseconds at worst. */
export const SLICE = 2_048;

const turns = new SharedTurns();

/**
 * Hides secret values in reports of daemons. Programs print addresses and settings when they fail, so each value is
 * also searched in common encodings: line by line, percent-encoded, in base64 and as JSON. Not a regular expression:
 * the engine refuses a pattern of long secrets with an error that quotes all of them. Time grows with the length of the
 * text, not with the number of secrets. Pauses for other work, so it must not be awaited in a transaction.
 */
export async function maskOf(values: readonly string[], pause: Turns = turns): Promise<Mask> {
  const texts = new Set<string>();
  for (const value of new Set(values.flatMap((value) => [value, ...partsOf(value)])))
    for (const form of formsOf(value)) {
      if (pause.isOver()) await pause.next();
      for (const piece of piecesOf(form)) texts.add(piece);
    }
  const pieces = new Pieces(texts);
  return async (text) => (pieces.isEmpty ? text : await hide(text, pieces, pause));
}

/** Yields a value and its common encodings; nothing for a value that is too short to hide. */
export function* formsOf(value: string): Generator<string> {
  // A value that is too short to hide stays visible in longer encodings too.
  if (value.length < MIN_LENGTH) return;
  yield value;
  for (const line of value.split(/\r?\n/)) if (!FRAME.test(line.trim())) yield line.trim();
  yield encodeURIComponent(value.toWellFormed());
  yield withoutTrailing(Buffer.from(value).toString('base64'), '=');
  yield JSON.stringify(value).slice(1, -1);
}

/** Yields the secrets inside a value: the password of an address, and the credentials of an authorization header. */
function* partsOf(value: string): Generator<string> {
  const userinfo = userinfoOf(value);
  const colon = userinfo.indexOf(':');
  if (colon !== -1) yield* decodedToo(userinfo.slice(colon + 1));
  const [scheme = '', credentials = '', ...more] = value.trim().split(' ');
  if (more.length > 0 || credentials === '') return;
  yield credentials;
  if (scheme.toLowerCase() !== 'basic') return;
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  if (pair.includes(':')) yield pair.slice(pair.indexOf(':') + 1);
}

/** Returns `user:password` of an address; an unescaped @ or / belongs to the password. */
function userinfoOf(value: string): string {
  const start = value.indexOf('://');
  return start === -1 ? '' : value.slice(start + 3, Math.max(start + 3, value.lastIndexOf('@')));
}

function* decodedToo(text: string): Generator<string> {
  yield text;
  try {
    yield decodeURIComponent(text);
  } catch {
    // Not percent-encoded.
  }
}

/** Splits a text into pieces of at most 64 characters; the last two may overlap. */
function* piecesOf(form: string): Generator<string> {
  if (form.length < MIN_LENGTH) return;
  for (let at = 0; at + PIECE <= form.length; at += PIECE) yield form.slice(at, at + PIECE);
  if (form.length % PIECE !== 0) yield form.slice(-PIECE);
}

/** The searched texts of 6 to 64 characters, found by a hash of their first six characters and then by length. */
class Pieces {
  readonly #texts: ReadonlySet<string>;
  /** Lengths of the pieces by the hash of their first six characters, longest first. */
  readonly #lengths = new Map<number, number[]>();
  /** Bloom filters for the first six characters and for whole pieces: they avoid almost all unnecessary lookups. */
  readonly #begins: Uint8Array;
  readonly #wholes: Uint8Array;
  /** Their last index, which is also a mask for hashes. */
  readonly #last: number;

  constructor(texts: ReadonlySet<string>) {
    this.#texts = texts;
    // Sized by the number of pieces: a daemon has a mask for each of its instances.
    const size = Math.min(MAX_FILTER_SIZE, 2 ** Math.ceil(Math.log2(Math.max(1, texts.size) * 64)));
    this.#begins = new Uint8Array(size);
    this.#wholes = new Uint8Array(size);
    this.#last = size - 1;
    for (const text of texts) this.#put(text);
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  #put(piece: string): void {
    const hash = hashOf(piece, MIN_LENGTH);
    this.#begins[hash & this.#last] = 1;
    this.#wholes[hashOf(piece, piece.length) & this.#last] = 1;
    const lengths = this.#lengths.get(hash);
    if (lengths === undefined) this.#lengths.set(hash, [piece.length]);
    else if (!lengths.includes(piece.length)) lengths.push(piece.length) && lengths.sort((a, b) => b - a);
  }

  /** Returns the length of the longest piece at this position that reaches beyond `end`; 0 if there is none. */
  lengthAt(text: string, hashes: Hashes, at: number, end: number): number {
    const hash = hashes.of(at, MIN_LENGTH);
    if (this.#begins[hash & this.#last] === 0) return 0;
    for (const length of this.#lengths.get(hash) ?? []) {
      if (at + length <= end) return 0;
      if (at + length > text.length || this.#wholes[hashes.of(at, length) & this.#last] === 0) continue;
      if (this.#texts.has(text.slice(at, at + length))) return length;
    }
    return 0;
  }
}

const MAX_FILTER_SIZE = 2 ** 18;
/** Odd and random, so that texts with colliding hashes cannot be prepared. */
const FACTOR = randomInt(2 ** 30, 2 ** 31) | 1;
const POWERS = Int32Array.from({ length: PIECE + 1 }, (_, exponent) => {
  let power = 1;
  for (let i = 0; i < exponent; i++) power = Math.imul(power, FACTOR);
  return power;
});

/** Rolling hashes of all substrings of a slice, each at the cost of one multiplication. */
class Hashes {
  readonly #sums: Int32Array;
  readonly #from: number;

  constructor(text: string, from: number) {
    // A piece may start in this slice and end in the next.
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

/** Hashes the beginning of a text. */
function hashOf(text: string, length: number): number {
  let sum = 0;
  for (let at = 0; at < length; at++) sum = (Math.imul(sum, FACTOR) + text.charCodeAt(at)) | 0;
  return mixed(sum);
}

const mixed = (sum: number): number => (sum | 0) ^ (sum >>> 15);

/** Hides everything covered by a piece; overlapping or adjacent pieces become one mark. */
async function hide(text: string, pieces: Pieces, pause: Turns): Promise<string> {
  const parts: string[] = [];
  let copied = 0;
  let begin = -1;
  let end = 0;
  for (let from = 0; from + MIN_LENGTH <= text.length; from += SLICE) {
    if (pause.isOver()) await pause.next();
    const hashes = new Hashes(text, from);
    const last = Math.min(from + SLICE, text.length - MIN_LENGTH + 1);
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
