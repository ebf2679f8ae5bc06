import type { InputValue } from '@hortus/contract/template/inputs';
import type { Canonical, CanonicalInput } from './canonical-form.ts';
import { type Check, KINDS } from './inputs/kinds.ts';
import type { Problem } from './problem.ts';

export type Inputs = Record<string, InputValue>;

export type InputCheck =
  | {
      ok: true;
      /** What is kept: given values in their own type, without defaults. */
      values: Inputs;
      /** Names that a null took away. */
      removed: string[];
    }
  | { ok: false; problems: Problem[] };

export type InputMode =
  | { mode: 'create' }
  | {
      mode: 'merge';
      /** The values so far; those of secret inputs may be missing here. */
      previous: Inputs;
      /** Secret inputs whose values the vault holds. */
      held?: readonly string[];
    }
  /** A set that is kept for later: nothing is required yet and nothing is fixed yet. */
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

/** Every question of the spec, its check made once: creating a definition asks this each time. */
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

/** Checks what a person gave for a definition. External secrets are asked among the inputs, as passwords. */
export function checkInputs(spec: Canonical, given: unknown, options: InputMode): InputCheck {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { ok: false, problems: [{ field: 'inputs', message: 'must be an object' }] };
  }
  const asked = questions(spec);
  const partial = options.mode === 'partial';
  const merging = options.mode === 'merge';
  const values: Inputs = options.mode === 'create' ? {} : { ...options.previous };
  const held = new Set(options.mode === 'create' ? undefined : options.held);
  const removed: string[] = [];
  const problems: Problem[] = [];
  const failed = new Set<string>();
  // One problem a field: what is wrong says more than that, being wrong, it is missing.
  const fail = (name: string, message: string) => {
    if (!failed.has(name)) problems.push({ field: `inputs.${name}`, message });
    failed.add(name);
  };

  for (const [name, value] of Object.entries(given)) {
    const question = asked.get(name);
    // A later version may no longer ask what an earlier one did; the answer can still be taken out.
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
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values, removed };

  function isSet(name: string): boolean {
    return Object.hasOwn(values, name) || held.has(name);
  }

  /** A held secret cannot be compared, so an immutable one may not be given again. */
  function isSame(question: Asked, value: InputValue): boolean {
    if (held.has(question.name)) return false;
    if (Object.hasOwn(values, question.name)) return values[question.name] === value;
    return question.standard === undefined || question.standard === value;
  }
}

function applies(question: Asked, asked: Map<string, Asked>, values: Inputs): boolean {
  return (question.when ?? []).every(([name, wanted]) => {
    const value = Object.hasOwn(values, name) ? values[name] : asked.get(name)?.standard;
    return value !== undefined && wanted.includes(value);
  });
}

/** The values a resolution sees: defaults filled in, inputs whose condition does not hold left out. */
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

/** The names of all that only the vault may hold. */
export function secretInputs(spec: Canonical): string[] {
  return [...questions(spec).values()].filter(({ secret }) => secret).map(({ name }) => name);
}

/** What may stand in the database as it is, and what only the vault may hold. */
export function splitSecretInputs(spec: Canonical, values: Inputs): { plain: Inputs; secret: Record<string, string> } {
  const plain: Inputs = {};
  const secret: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (isSecretInput(spec, name)) secret[name] = String(value);
    else plain[name] = value;
  }
  return { plain, secret };
}
