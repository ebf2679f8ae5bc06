import type { Path } from '../../source/finding.ts';
import { type Piece, settle, type Variable } from './interpolation.ts';
import type { Reading } from './reading.ts';
import { isScalarValue } from './scalars.ts';
import { splitWords } from './words.ts';

/**
 * Delimiters of placeholders for variables while a line is split; private-use characters that do not occur in Compose
 * files.
 */
const OPEN = '\uE000';
const CLOSE = '\uE001';
const HOLE = new RegExp(`${OPEN}(\\d+)${CLOSE}`);

/** Reads `command` or `entrypoint`: a list of arguments, or a line that Compose splits. */
export function readCommand(reading: Reading, value: unknown, path: Path): string[] | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const words = value.map((item, index) => reading.text(item, [...path, index]) ?? '');
    return nonEmpty(reading, words, path);
  }
  if (!isScalarValue(value)) {
    reading.notes.drop(path, 'is neither a string nor a list');
    return undefined;
  }
  return nonEmpty(reading, splitLine(reading, reading.pieces(value, path) ?? [], path), path);
}

function nonEmpty(reading: Reading, words: string[], path: Path): string[] | undefined {
  if (words.length > 0 && !(words.length === 1 && words[0] === '')) return words;
  reading.notes.drop(path, 'a template cannot clear the command or entrypoint of the image');
  return undefined;
}

function splitLine(reading: Reading, pieces: readonly Piece[], path: Path): string[] {
  const holes: Variable[] = [];
  const line = pieces.map((piece) => (typeof piece === 'string' ? piece : holed(reading, piece, holes, path))).join('');
  const { words, cut, unclosed } = splitWords(line);
  if (unclosed) reading.notes.infer(path, 'a quote is not closed');
  if (cut !== undefined) {
    const shown = cut.replaceAll(new RegExp(HOLE, 'g'), '…').slice(0, 60);
    reading.notes.drop(path, `Compose reads a command only up to ${shown}; call a shell to use its operators`);
  }
  return words.map((word) => reading.write(filled(word, holes), path));
}

/** Fixes a variable whose default is several arguments, because a template would pass it as one argument. */
function holed(reading: Reading, variable: Variable, holes: Variable[], path: Path): string {
  const standard = variable.operator === '-' ? settle(variable.operand) : undefined;
  if (standard !== undefined && /\s/.test(standard)) {
    reading.notes.infer(
      path,
      `fixed at ${JSON.stringify(standard)}, the default of ${variable.name}, because it is several arguments`,
    );
    return standard;
  }
  holes.push(variable);
  return `${OPEN}${holes.length - 1}${CLOSE}`;
}

function filled(word: string, holes: readonly Variable[]): Piece[] {
  return word.split(HOLE).flatMap((part, index): Piece[] => {
    if (index % 2 === 0) return part === '' ? [] : [part];
    const variable = holes[Number(part)];
    return variable === undefined ? [] : [variable];
  });
}
