import type { Input, InputType } from '@hortus/contract/template/inputs';
import type { Secret } from '@hortus/contract/template/secrets';
import type { Path } from '../../source/finding.ts';
import { canBeDefault, typeOf } from './input-types.ts';
import { type Piece, settle, type Variable } from './interpolation.ts';
import { magicOf } from './magic.ts';
import { questionName } from './names.ts';
import { generatorLike, isSecretName, isSecretValue, splitMark } from './secret-names.ts';
import { isOfThirdParty } from './third-parties.ts';

/** One use of a variable. */
export interface Use {
  variable: Variable;
  path: Path;
  /** Passed through from the environment under its own name, and omitted if it is unset. */
  bare: boolean;
  /** Type that its context requires, such as a path to mount. */
  demands?: InputType;
}

export type Meaning =
  | { kind: 'secret'; name: string; secret: Secret /** Text before the generated part. */; mark?: string }
  | { kind: 'input'; name: string; input: Input; required: boolean };

/**
 * Collects the uses of variables. All uses determine what a variable becomes, so they are collected before the first is
 * written.
 */
export class Variables {
  readonly #uses = new Map<string, Use[]>();
  readonly #meanings = new Map<string, Meaning>();

  note(use: Use): void {
    const known = this.#uses.get(use.variable.name);
    if (known) known.push(use);
    else this.#uses.set(use.variable.name, [use]);
    this.#meanings.delete(use.variable.name);
  }

  names(): string[] {
    return [...this.#uses.keys()];
  }

  /** Returns what a variable becomes; undefined for an address, which routes provide. */
  meaning(name: string): Meaning | undefined {
    const known = this.#meanings.get(name);
    if (known !== undefined) return known;
    const magic = magicOf(name);
    if (magic?.kind === 'address') return undefined;
    const meaning: Meaning =
      magic === undefined ? decide(name, this.#uses.get(name) ?? []) : { kind: 'secret', name, secret: magic.secret };
    this.#meanings.set(name, meaning);
    return meaning;
  }

  /** Returns the default that all uses share, if it may be a password. */
  standardOf(name: string): string | undefined {
    const standard = sharedDefault(this.#uses.get(name) ?? []);
    return standard !== undefined && isSecretValue(standard) ? standard : undefined;
  }

  firstPath(name: string): Path {
    return this.#uses.get(name)?.[0]?.path ?? [];
  }
}

function decide(variable: string, uses: readonly Use[]): Meaning {
  const name = questionName(variable);
  const standard = sharedDefault(uses);
  const asked = uses.find((use) => use.variable.operator === '?');
  const switched = uses.some((use) => use.variable.operator === '+');
  if (isOfThirdParty(variable) && isSecretName(variable) && !switched) {
    return { kind: 'input', name, input: { name, type: 'password' }, required: asked !== undefined };
  }
  if (isSecretName(variable) && !switched) {
    if (standard !== undefined && isSecretValue(standard)) {
      const { mark, rest } = splitMark(standard);
      return { kind: 'secret', name, secret: generatorLike(rest), mark };
    }
    // Laravel, whose applications have this name for their key, accepts 32 bytes in this form only.
    if (variable === 'APP_KEY') {
      return { kind: 'secret', name, secret: { generate: 'base64', length: 32, unit: 'bytes' }, mark: 'base64:' };
    }
    if (standard === undefined && servicesOf(uses).size > 1) {
      return { kind: 'secret', name, secret: { generate: 'alnum', length: 32 } };
    }
    const kept = standard === undefined || standard === '' ? {} : { default: standard };
    return { kind: 'input', name, input: { name, type: 'password', ...kept }, required: asked !== undefined };
  }
  const demanded = uses.find(({ demands }) => demands !== undefined)?.demands;
  const guessed: Pick<Input, 'type' | 'default'> =
    demanded !== undefined && standard === undefined ? { type: demanded } : typeOf(variable, standard);
  // A boolean input that is false counts as unset in a template, but as text in a Compose file.
  const type = switched && guessed.type === 'boolean' ? typeOf('', `${standard} `).type : guessed.type;
  const value = type === guessed.type ? guessed.default : standard;
  const message = asked === undefined ? undefined : settle(asked.variable.operand);
  const input: Input = {
    name,
    type,
    ...(message === undefined || message === '' ? {} : { description: message.slice(0, 1000) }),
    ...(value === undefined ? {} : { default: value }),
  };
  return { kind: 'input', name, input, required: asked !== undefined && value === undefined };
}

/** Returns the default that all uses share; undefined if one has none or a different one. */
function sharedDefault(uses: readonly Use[]): string | undefined {
  const defaults = new Set(
    uses
      .filter((use) => use.variable.operator !== '?')
      .map(({ variable }) => (variable.operator === '-' ? literal(variable.operand) : undefined)),
  );
  if (defaults.size !== 1) return undefined;
  const [only] = defaults;
  return only !== undefined && canBeDefault(only) ? only : undefined;
}

/** Returns a text without variables; a default with variables cannot be shown in a form. */
function literal(operand: readonly Piece[]): string | undefined {
  return operand.every((piece) => typeof piece === 'string') ? operand.join('') : undefined;
}

function servicesOf(uses: readonly Use[]): Set<unknown> {
  return new Set(uses.filter(({ path }) => path[0] === 'services').map(({ path }) => path[1]));
}
