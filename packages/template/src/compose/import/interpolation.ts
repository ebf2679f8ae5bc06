/** A variable of a Compose file: `${name operator operand}`, or `$name` without an operator. */
export interface Variable {
  name: string;
  operator?: '-' | '?' | '+';
  /** With the colon, an empty value counts as unset. */
  colon: boolean;
  operand: readonly Piece[];
}

export type Piece = string | Variable;

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const DEEPEST = 8;

/**
 * Splits a text into literals and variables; `$$` is a dollar sign. Returns undefined for syntax that Compose refuses.
 */
export function piecesOf(text: string): Piece[] | undefined {
  const read = until(text, 0, 0);
  return read?.pieces;
}

interface Read {
  pieces: Piece[];
  end: number;
}

function until(text: string, start: number, depth: number): Read | undefined {
  const pieces: Piece[] = [];
  let literal = '';
  let at = start;
  while (at < text.length) {
    const sign = text[at];
    if (sign === '}' && depth > 0) break;
    if (sign !== '$') {
      literal += sign;
      at++;
      continue;
    }
    if (text[at + 1] === '$') {
      literal += '$';
      at += 2;
      continue;
    }
    const variable = variableAt(text, at + 1, depth);
    if (variable === undefined) return undefined;
    if (literal !== '') pieces.push(literal);
    literal = '';
    pieces.push(variable.variable);
    at = variable.end;
  }
  if (literal !== '') pieces.push(literal);
  return { pieces, end: at };
}

function variableAt(text: string, start: number, depth: number): { variable: Variable; end: number } | undefined {
  const braced = text[start] === '{';
  NAME.lastIndex = braced ? start + 1 : start;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  let at = NAME.lastIndex;
  if (!braced) return { variable: { name, colon: false, operand: [] }, end: at };
  if (text[at] === '}') return { variable: { name, colon: false, operand: [] }, end: at + 1 };
  const colon = text[at] === ':';
  if (colon) at++;
  const operator = text[at];
  if (operator !== '-' && operator !== '?' && operator !== '+') return undefined;
  if (depth >= DEEPEST) return undefined;
  const operand = until(text, at + 1, depth + 1);
  if (operand === undefined || text[operand.end] !== '}') return undefined;
  return { variable: { name, operator, colon, operand: operand.pieces }, end: operand.end + 1 };
}

/** Returns the text with every variable at its default; undefined if one has no default. */
export function settle(pieces: readonly Piece[]): string | undefined {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (piece.operator === '+') continue;
    else if (piece.operator === '-') {
      const inner = settle(piece.operand);
      if (inner === undefined) return undefined;
      text += inner;
    } else return undefined;
  }
  return text;
}

export function variablesIn(pieces: readonly Piece[]): Variable[] {
  return pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece, ...variablesIn(piece.operand)]));
}

/** Marks variables without a default as required, for places that do not work without a value. */
export function demanded(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece) =>
    typeof piece === 'object' && piece.operator === undefined ? { ...piece, operator: '?', colon: true } : piece,
  );
}
