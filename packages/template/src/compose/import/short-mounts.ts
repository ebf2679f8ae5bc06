import type { Path } from '../../source/finding.ts';
import type { Piece } from './interpolation.ts';
import type { Reading } from './reading.ts';

/** A mount, from the short or the long syntax. */
export interface Mount {
  target: string;
  source: readonly Piece[] | undefined;
  type: string | undefined;
  readOnly: boolean;
  content?: string;
  directory?: boolean;
  size?: string;
  path: Path;
}

/** Mount options without an effect here. */
const HARMLESS = new Set(['rw', 'ro', 'cached', 'delegated', 'consistent', 'default', 'nocopy', '']);
/** Labels of SELinux; the engine sets those of volumes itself. */
const RELABELLED = new Set(['z', 'Z']);
/** With these options, mounts of the container would appear on the server. */
const PROPAGATION = /^r?(shared|slave|private)$/;

/** Splits `source:target:options` at the colons outside of variables. */
export function shortMount(reading: Reading, item: unknown, path: Path): Mount | undefined {
  const pieces = reading.pieces(item, path);
  const parts = pieces && splitAtColons(pieces);
  if (parts === undefined || parts.length === 0) {
    reading.notes.drop(path, 'is not a mount');
    return undefined;
  }
  const options = parts.length > 2 ? (parts[2] ?? []).filter((piece) => typeof piece === 'string').join('') : '';
  const target = reading.write(parts[parts.length > 1 ? 1 : 0] ?? [], path).trim();
  if (!target.startsWith('/')) {
    reading.notes.drop(path, 'the mount has no absolute target');
    return undefined;
  }
  const words = options.split(',').map((word) => word.trim());
  for (const word of words) {
    if (PROPAGATION.test(word)) reading.notes.refuse(path, `the mount option ${word} is not supported`);
    else if (RELABELLED.has(word)) reading.notes.infer(path, `${word} is omitted: the server labels volumes itself`);
    else if (!HARMLESS.has(word)) reading.notes.drop(path, `the mount option ${word} is not supported`);
  }
  return {
    target,
    source: parts.length > 1 ? parts[0] : undefined,
    type: undefined,
    readOnly: words.includes('ro'),
    path,
  };
}

function splitAtColons(pieces: readonly Piece[]): Piece[][] {
  const parts: Piece[][] = [[]];
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      parts.at(-1)?.push(piece);
      continue;
    }
    for (const [index, word] of piece.split(':').entries()) {
      if (index > 0) parts.push([]);
      if (word !== '') parts.at(-1)?.push(word);
    }
  }
  return parts;
}
