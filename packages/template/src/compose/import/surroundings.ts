import { envLines } from './env-file.ts';
import { type Piece, piecesOf, settle, type Variable } from './interpolation.ts';

/** File beside the Compose file with the values of its variables. */
export const ENV_FILE = '.env';

/** Values of variables from the `.env` beside the file. A value may refer to values before it. */
export class Surroundings {
  readonly #values = new Map<string, readonly Piece[]>();

  constructor(content: string | undefined) {
    for (const { key, value, literal } of envLines(content ?? '')) {
      const pieces = literal ? [value] : this.filled(piecesOf(value) ?? [value]);
      const text = settle(pieces);
      this.#values.set(key, text === undefined ? pieces : text === '' ? [] : [text]);
    }
  }

  /** Adds a value, unless the file gives one. */
  assume(name: string, value: string): void {
    if (!this.#values.has(name)) this.#values.set(name, [value]);
  }

  /** Gives each known variable its value as default: Compose takes the value before any default in the file. */
  filled(pieces: readonly Piece[]): Piece[] {
    return pieces.map((piece) => (typeof piece === 'string' ? piece : this.#variable(piece)));
  }

  #variable(variable: Variable): Variable {
    const value = this.#values.get(variable.name);
    const isEmpty = value?.length === 0;
    if (value === undefined || variable.operator === '+' || (isEmpty && variable.colon)) {
      return { ...variable, operand: this.filled(variable.operand) };
    }
    return { name: variable.name, operator: '-', colon: variable.colon, operand: value };
  }
}
