import { FILTERS } from '../../interpolation/text.ts';
import { type Piece, type Variable, variablesIn } from './interpolation.ts';
import type { KnownPasswords } from './known-passwords.ts';
import type { Routes } from './routes.ts';
import type { Use, Variables } from './variables.ts';

const REFERENCE = /\$\{(?=\s{0,64}[A-Za-z_]{1,64}\.[A-Za-z0-9_-])/g;
const ENDS_OPERAND = new RegExp(`[}]|\\|\\s*(${FILTERS.join('|')})\\s*[|}]?|\\s$|\\$\\{`);

/** Converts Compose texts to template texts. */
export class Texts {
  readonly vars: Record<string, string> = {};
  readonly #variables: Variables;
  readonly #routes: Routes;
  readonly #passwords: KnownPasswords;

  constructor(variables: Variables, routes: Routes, passwords: KnownPasswords) {
    this.#variables = variables;
    this.#routes = routes;
    this.#passwords = passwords;
  }

  write(pieces: readonly Piece[]): string {
    const [only] = pieces;
    if (pieces.length === 1 && typeof only === 'object' && only.operator === '+') return this.#wholeSwitch(only);
    return pieces.map((piece) => (typeof piece === 'string' ? this.literal(piece) : this.#reference(piece))).join('');
  }

  /** Returns a literal text with references in place of known passwords. */
  literal(text: string): string {
    return this.#passwords
      .within(text)
      .map((part) => (typeof part === 'string' ? this.#guarded(part) : `\${secrets.${part.secret}}`))
      .join('');
  }

  /** Escapes text that looks like a template reference. */
  #guarded(text: string): string {
    if (!text.includes('${')) return text;
    return text.replace(REFERENCE, () => {
      this.vars.dollar = '$';
      return `\${vars.dollar}{`;
    });
  }

  /** Returns a reference under the variable's own name, which is omitted if it has no value. */
  bare(name: string): string {
    const meaning = this.#variables.meaning(name);
    if (meaning === undefined) return this.#routes.address(name);
    return meaning.kind === 'secret' ? secretText(meaning) : `\${inputs.${meaning.name}}`;
  }

  #reference(variable: Variable): string {
    const { name, operator } = variable;
    const meaning = this.#variables.meaning(name);
    if (meaning === undefined) return this.#routes.address(name);
    if (meaning.kind === 'secret') {
      return operator === '+' ? this.write(variable.operand) : secretText(meaning);
    }
    const plain = `inputs.${meaning.name}`;
    if (operator === '+') return `\${${plain}:+${this.#operand(variable)}}`;
    if (meaning.input.default !== undefined || meaning.required) return `\${${plain}}`;
    return `\${${plain}:-${operator === '-' ? this.#operand(variable) : ''}}`;
  }

  /** An operand ends at the first brace, so an operand with a brace is moved to a variable. */
  #operand({ name, operand }: Variable): string {
    const literals = operand.filter((piece) => typeof piece === 'string');
    if (!literals.some((text) => ENDS_OPERAND.test(text))) return this.write(operand);
    return `\${vars.${this.#named(`${name.toLowerCase()}_default`, this.write(operand))}}`;
  }

  /** A lone `${X:+word}` would omit its key if X is unset, but Compose leaves the value empty. */
  #wholeSwitch(variable: Variable): string {
    const text = this.#reference(variable);
    return `\${vars.${this.#named(`${variable.name.toLowerCase()}_if_set`, text)}:-}`;
  }

  #named(wanted: string, text: string): string {
    const base = wanted.replace(/^[^a-z]+/, '') || 'text';
    let name = base;
    for (let number = 2; this.vars[name] !== undefined && this.vars[name] !== text; number++)
      name = `${base}_${number}`;
    this.vars[name] = text;
    return name;
  }
}

const secretText = ({ name, mark = '' }: { name: string; mark?: string }): string => `${mark}\${secrets.${name}}`;

/** Returns every use of a variable in a text, including those in defaults of other variables. */
export function usesIn(pieces: readonly Piece[], path: Use['path']): Use[] {
  return variablesIn(pieces).map((variable) => ({ variable, path, bare: false }));
}
