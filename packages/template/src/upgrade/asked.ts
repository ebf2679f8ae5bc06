import type { Change } from '@hortus/contract/resources/upgrades';
import type { InputValue } from '@hortus/contract/template/inputs';
import type { Canonical, CanonicalInput } from '../canonical/canonical-form.ts';
import { checkInputs, type Inputs, isSecretInput } from '../inputs/inputs.ts';
import { differences } from './change.ts';

/** The current settings of a definition, which the newer template must accept. */
export interface Chosen {
  readonly profile: string;
  readonly variant?: string | undefined;
  /** Inputs that are not secret. */
  readonly inputs: Inputs;
  /** Secret inputs whose values are in the vault. */
  readonly held: readonly string[];
}

/** A setting that the newer template does not accept. */
export interface Conflict {
  readonly field: string;
  readonly reason:
    | 'input_removed'
    | 'input_invalid'
    | 'variant_removed'
    | 'profile_removed'
    | 'required_stop'
    | 'no_dump'
    | 'refused';
  readonly message: string;
}

/** An input of the newer template without a value. */
export interface NewInput {
  readonly name: string;
  readonly type: CanonicalInput['type'];
  readonly label: string | null;
  readonly description: string | null;
  /** Whether the upgrade cannot be applied without it. */
  readonly required: boolean;
  readonly default: InputValue | null;
}

export interface Asked {
  readonly changes: readonly Change[];
  readonly conflicts: readonly Conflict[];
  readonly newInputs: readonly NewInput[];
}

/** Compares the given inputs with those of both templates. */
export function compareInputs(from: Canonical, to: Canonical, { inputs, held }: Chosen): Asked {
  const [before, after] = [questionsOf(from), questionsOf(to)];
  const onResponse = (name: string) => Object.hasOwn(inputs, name) || held.includes(name);
  const gone = [...Object.keys(inputs), ...held].filter((name) => !after.has(name));
  const kept = Object.fromEntries(Object.entries(inputs).filter(([name]) => after.has(name)));
  const keptSecrets = held.filter((name) => after.has(name) && isSecretInput(to, name));
  const published = held.filter((name) => after.has(name) && !isSecretInput(to, name));

  const wrong = problems(checkInputs(to, kept, { mode: 'partial', previous: {}, held: keptSecrets }));
  const good = Object.fromEntries(Object.entries(kept).filter(([name]) => !wrong.has(name)));
  const missing = problems(checkInputs(to, {}, { mode: 'merge', previous: good, held: keptSecrets }));
  const fresh = [...after.values()].filter(({ name }) => !onResponse(name) && (missing.has(name) || !before.has(name)));
  return {
    changes: defaultChanges(before, after, onResponse),
    conflicts: [
      ...[...new Set(gone)].map((name) =>
        conflict(name, 'input_removed', 'is not an input of the newer version; its value would be dropped'),
      ),
      ...[...wrong].map(([name, message]) => conflict(name, 'input_invalid', `${message} in the newer version`)),
      ...published.map((name) =>
        conflict(name, 'input_invalid', 'is no secret in the newer version, which would show its value; give another'),
      ),
    ],
    newInputs: fresh.map((input) => newInput(input, missing.has(input.name))),
  };
}

const conflict = (name: string, reason: Conflict['reason'], message: string): Conflict => ({
  field: `inputs.${name}`,
  reason,
  message,
});

/** Defaults that were not overridden take effect automatically, and so do their changes. */
function defaultChanges(
  before: ReadonlyMap<string, CanonicalInput>,
  after: ReadonlyMap<string, CanonicalInput>,
  onResponse: (name: string) => boolean,
): Change[] {
  const defaults = (questions: ReadonlyMap<string, CanonicalInput>, others: ReadonlyMap<string, CanonicalInput>) =>
    Object.fromEntries(
      [...questions.values()]
        .filter(({ name }) => others.has(name) && !onResponse(name))
        .map((input) => [input.name, input.default]),
    );
  return differences({ area: 'input', component: null }, defaults(before, after), defaults(after, before));
}

const newInput = (input: CanonicalInput, required: boolean): NewInput => ({
  name: input.name,
  type: input.type,
  label: input.label ?? null,
  description: input.description ?? null,
  required,
  default: input.default ?? null,
});

/** External secrets are asked for like password inputs. */
function questionsOf(spec: Canonical): Map<string, CanonicalInput> {
  const external = Object.entries(spec.secrets)
    .filter(([, secret]) => secret.external)
    .map(([name]): CanonicalInput => ({ name, type: 'password', immutable: false }));
  return new Map([...spec.inputs.required, ...spec.inputs.optional, ...external].map((input) => [input.name, input]));
}

/** Returns problems by the name of the input. */
function problems(check: ReturnType<typeof checkInputs>): Map<string, string> {
  if (check.ok) return new Map();
  return new Map(check.problems.map(({ field, message }) => [field.replace(/^inputs\./, ''), message]));
}
