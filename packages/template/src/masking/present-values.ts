import { randomInt } from 'node:crypto';
import { formsOf } from './masking.ts';

/** Lengths of the pieces that are searched; five passes over the text, however many values there are. */
const LENGTHS = [64, 32, 16, 8, 6] as const;
const FILTER = 2 ** 18;
/** Odd and random, so that texts with colliding hashes cannot be prepared. */
const FACTOR = randomInt(2 ** 30, 2 ** 31) | 1;

/**
 * Returns the values that a text contains in one of their usual encodings. Time is linear in the length of text and values: it does
 * not search for each value, but for the pieces of all of them. A value counts as present if all of its pieces are, in any order.
 */
export function presentValues(values: readonly string[], texts: Iterable<string>): string[] {
  const distinct = [...new Set(values)];
  const wanted = new Map<number, Set<string>>(LENGTHS.map((length) => [length, new Set()]));
  for (const value of distinct)
    for (const form of formsOf(value)) for (const piece of piecesOf(form)) wanted.get(piece.length)?.add(piece);
  const text = [...texts].join('\n');
  for (const [length, pieces] of wanted) removeFound(pieces, text, length);
  const isPresent = (piece: string) => wanted.get(piece.length)?.has(piece) === false;
  return distinct.filter((value) => formsOf(value).some((form) => piecesOf(form).every(isPresent)));
}

/** Covers a text with pieces of one length; the last two may overlap. */
function* piecesOf(form: string): Generator<string> {
  const length = LENGTHS.find((pieceLength) => pieceLength <= form.length);
  // Lines of a value can be shorter than what is worth hiding.
  if (length === undefined) return yield '';
  for (let at = 0; at + length <= form.length; at += length) yield form.slice(at, at + length);
  if (form.length % length !== 0) yield form.slice(-length);
}

/** Removes the pieces that occur in the text. Each is compared once, because its hash goes with it. */
function removeFound(pieces: Set<string>, text: string, length: number): void {
  if (pieces.size === 0 || text.length < length) return;
  const byHash = Map.groupBy(pieces, (piece) => hashOf(piece, length));
  const filter = new Uint8Array(FILTER);
  for (const hash of byHash.keys()) filter[hash & (FILTER - 1)] = 1;
  const power = powerOf(length);
  let hash = hashOf(text, length);
  for (let at = 0; ; at++) {
    if (filter[hash & (FILTER - 1)] === 1 && byHash.has(hash)) {
      pieces.delete(text.slice(at, at + length));
      if (pieces.size === 0) return;
      if (!byHash.get(hash)?.some((piece) => pieces.has(piece))) byHash.delete(hash);
    }
    if (at + length >= text.length) return;
    hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at + length) - Math.imul(text.charCodeAt(at), power)) | 0;
  }
}

function hashOf(text: string, length: number): number {
  let hash = 0;
  for (let at = 0; at < length; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
  return hash;
}

function powerOf(exponent: number): number {
  let power = 1;
  for (let i = 0; i < exponent; i++) power = Math.imul(power, FACTOR);
  return power;
}
