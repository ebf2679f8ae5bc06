import type { InputValue } from '@hortus/contract/template/inputs';
import type { Canonical, CanonicalInput } from '../canonical/canonical-form.ts';
import type { Problem } from '../problem.ts';
import { type Check, KINDS } from './kinds.ts';
import { beyondTotal, firstBeyondTotal, totalLength } from './total-length.ts';

export type Inputs = Record<string, InputValue>;

export type InputCheck =
  | {
      ok: true;
      /** Values to store: converted to their types, without defaults. */
      values: Inputs;
      /** Names of values that were removed with null. */
      removed: string[];
    }
  | { ok: false; problems: Problem[] };

export type InputMode =
  | { mode: 'create' }
  | {
      mode: 'merge';
      /** The current values; those of secret inputs may be missing here. */
      previous: Inputs;
      /** Secret inputs whose values are in the vault. */
      held?: readonly string[];
    }
  /** A set of values for later use: nothing is required and nothing is immutable yet. */
  | { mode: 'partial'; previous: Inputs; held?: readonly string[] };

interface Asked {
  name: string;
  check: Check;
  required: boolean;
  secret: boolean;
  immutable: boolean;
  standard: InputValue | undefined;
  when: [string, readonly InputValue[]][] | undefined;
}

const prepared = new WeakMap<Canonical, Map<string, Asked>>();

/** Returns the inputs of the spec with their checks. Cached, because every creation of a definition needs them. */
function questions(spec: Canonical): Map<string, Asked> {
  const known = prepared.get(spec);
  if (known !== undefined) return known;
  const asked = new Map<string, Asked>();
  const ask = (input: CanonicalInput, required: boolean) =>
    asked.set(input.name, {
      name: input.name,
      check: KINDS[input.type](input),
      required: required && input.default === undefined,
      secret: input.type === 'password',
      immutable: input.immutable,
      standard: input.default,
      when:
        input.when && Object.entries(input.when).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]),
    });
  for (const input of spec.inputs.required) ask(input, true);
  for (const input of spec.inputs.optional) ask(input, false);
  for (const [name, secret] of Object.entries(spec.secrets)) {
    if (secret.external) ask({ name, type: 'password', immutable: false }, true);
  }
  prepared.set(spec, asked);
  return asked;
}

/** Checks the inputs of a definition. External secrets are given as inputs of type password. */
export function checkInputs(spec: Canonical, input: unknown, options: InputMode): InputCheck {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { ok: false, problems: [{ field: 'inputs', message: 'must be an object' }] };
  }
  const asked = questions(spec);
  const partial = options.mode === 'partial';
  const merging = options.mode === 'merge';
  const values: Inputs = options.mode === 'create' ? {} : { ...options.previous };
  const held = new Set(options.mode === 'create' ? undefined : options.held);
  const lengthBefore = totalLength(values, held);
  const removed: string[] = [];
  const problems: Problem[] = [];
  const failed = new Set<string>();
  // Report one problem per field: an invalid value must not also be reported as missing.
  const fail = (name: string, message: string) => {
    if (!failed.has(name)) problems.push({ field: `inputs.${name}`, message });
    failed.add(name);
  };

  for (const [name, value] of Object.entries(input)) {
    const question = asked.get(name);
    // A newer version may have dropped an input; its value can still be removed.
    const forgotten = partial && value === null && isSet(name);
    if (question === undefined && !forgotten) fail(name, 'is not an input of this template');
    else if (value === null || value === undefined) {
      if (!partial && question?.immutable && isSet(name)) fail(name, 'cannot be changed');
      else if (isSet(name)) removed.push(name);
      delete values[name];
      held.delete(name);
    } else if (question !== undefined) {
      const outcome = question.check(value);
      if ('wrong' in outcome) fail(name, outcome.wrong);
      else if (merging && question.immutable && !isSame(question, outcome.value)) fail(name, 'cannot be changed');
      else values[name] = outcome.value;
    }
  }
  for (const question of asked.values()) {
    if (!partial && question.required && !isSet(question.name) && applies(question, asked, values))
      fail(question.name, 'is required');
  }
  // Values from before this limit can still be shortened one by one.
  if (totalLength(values, held) > lengthBefore) {
    const beyond = firstBeyondTotal(values, Object.keys(input), held);
    if (beyond !== undefined) fail(beyond, beyondTotal('inputs'));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values, removed };

  function isSet(name: string): boolean {
    return Object.hasOwn(values, name) || held.has(name);
  }

  /** A secret in the vault cannot be compared, so an immutable one must not be given again. */
  function isSame(question: Asked, value: InputValue): boolean {
    if (held.has(question.name)) return false;
    if (Object.hasOwn(values, question.name)) return values[question.name] === value;
    return question.standard === undefined || question.standard === value;
  }
}

/** Returns the names of required inputs without a value, such as in a form that is not filled yet. */
export function missingInputs(spec: Canonical, values: Inputs): string[] {
  const asked = questions(spec);
  const isSet = (name: string) => Object.hasOwn(values, name) && values[name] !== null;
  return [...asked.values()]
    .filter((question) => question.required && !isSet(question.name) && applies(question, asked, values))
    .map(({ name }) => name);
}

function applies(question: Asked, asked: Map<string, Asked>, values: Inputs): boolean {
  return (question.when ?? []).every(([name, wanted]) => {
    const value = Object.hasOwn(values, name) ? values[name] : asked.get(name)?.standard;
    return value !== undefined && wanted.includes(value);
  });
}

/** Returns the inputs for a resolution: with defaults, and without inputs whose condition does not hold. */
export function effectiveInputs(spec: Canonical, values: Inputs): Map<string, InputValue> {
  const asked = questions(spec);
  const effective = new Map<string, InputValue>();
  for (const question of asked.values()) {
    if (question.when !== undefined && !applies(question, asked, values)) continue;
    const value = Object.hasOwn(values, question.name) ? values[question.name] : question.standard;
    if (value !== undefined) effective.set(question.name, value);
  }
  return effective;
}

export function isSecretInput(spec: Canonical, name: string): boolean {
  return questions(spec).get(name)?.secret ?? false;
}

/** Returns the names of all inputs that must be stored in the vault. */
export function secretInputs(spec: Canonical): string[] {
  return [...questions(spec).values()].filter(({ secret }) => secret).map(({ name }) => name);
}

/** Separates values that may be stored in the database from values that must be stored in the vault. */
export function splitSecretInputs(spec: Canonical, values: Inputs): { plain: Inputs; secret: Record<string, string> } {
  const plain: Inputs = {};
  const secret: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (isSecretInput(spec, name)) secret[name] = String(value);
    else plain[name] = value;
  }
  return { plain, secret };
}
