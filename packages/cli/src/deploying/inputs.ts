import type { InputValue } from '@hortus/contract/template/inputs';
import type { Canonical, CanonicalInput } from '@hortus/template/canonical/canonical-form';
import { checkInputs, type InputMode, isSecretInput } from '@hortus/template/inputs/inputs';
import { Failure } from '../failure.ts';
import { paint } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';

/** Values for the service; null removes a value. */
export type Changes = Record<string, InputValue | null>;

/** Treats an external secret as a password input. */
const questionOf = (spec: Canonical, name: string): Pick<CanonicalInput, 'name' | 'type'> & Partial<CanonicalInput> =>
  [...spec.inputs.required, ...spec.inputs.optional].find((canonical) => canonical.name === name) ?? {
    name,
    type: 'password',
  };

export const isMultiline = (spec: Canonical, name: string): boolean => questionOf(spec, name).type === 'text';

/**
 * Validates the inputs with the service's own rules before anything is created, and asks for missing required inputs. An answer
 * can make other inputs required, so it validates again after each. The service fills `chosenByService`, so those may stay missing.
 */
export async function completeInputs(
  world: World,
  spec: Canonical,
  input: Readonly<Changes>,
  mode: InputMode,
  chosenByService: Readonly<Changes> = {},
): Promise<Changes> {
  const { terminal } = world;
  const values: Changes = { ...input };
  const asked = new Set<string>();
  for (;;) {
    const check = checkInputs(spec, { ...chosenByService, ...values }, mode);
    if (check.ok) return values;
    const problems = check.problems.map(({ field, message }) => ({ name: field.replace('inputs.', ''), message }));
    const next = problems.find(({ name, message }) => message === 'is required' || asked.has(name));
    const other = problems.filter(({ name }) => !asked.has(name) && Object.hasOwn(values, name));
    if (!terminal.interactive || next === undefined || other.length > 0) throw complaint(problems);
    if (asked.has(next.name)) terminal.note(`${next.name} ${next.message}.\n`);
    asked.add(next.name);
    const reply = await ask(world, spec, next.name);
    // An empty answer leaves the input missing, so it is asked again.
    if (reply === '') delete values[next.name];
    else values[next.name] = reply;
  }
}

async function ask({ terminal }: World, spec: Canonical, name: string): Promise<string> {
  const { label, description, placeholder, options, type } = questionOf(spec, name);
  if (description) terminal.note(`${paint(terminal, 'dim', safeLine(description))}\n`);
  const choices = options?.map(({ value }) => value).join(', ');
  const example = choices ? `one of ${choices}` : placeholder ? `such as ${placeholder}` : undefined;
  const words = `${safeLine(label ?? name)}${label ? ` (${name})` : ''}${example ? `, ${safeLine(example)}` : ''}: `;
  return terminal.ask(words, { hidden: type === 'password' });
}

function complaint(problems: readonly { name: string; message: string }[]): Failure {
  const missing = problems.filter(({ message }) => message === 'is required').map(({ name }) => name);
  const wrong = problems.filter(({ message }) => message !== 'is required');
  const said = [
    ...wrong.map(({ name, message }) => `${name} ${message}.`),
    ...(missing.length > 0 ? [`Missing inputs: ${missing.join(', ')}.`] : []),
  ];
  const hint = missing.length > 0 ? `Use --set ${missing[0]}=value, or --set-file for a password.` : undefined;
  return new Failure('usage', said.join(' '), { hint });
}

/** Names of passwords given on the command line, where every user of the machine can read them. */
export const exposedPasswords = (spec: Canonical, set: readonly string[]): string[] =>
  set.map((text) => text.slice(0, text.indexOf('='))).filter((name) => isSecretInput(spec, name));
