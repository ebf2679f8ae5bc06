import { randomBytes, randomInt } from 'node:crypto';
import type { InputType, InputValue } from '@hortus/contract/template/inputs';
import type { Canonical, CanonicalInput } from '@hortus/template/canonical-form';
import { checkInputs, type Inputs } from '@hortus/template/inputs';
import { accepted } from '../definitions/order.ts';

type Asked = Pick<CanonicalInput, 'name' | 'min' | 'options' | 'placeholder'>;

/**
 * What a test answers where nobody did. A path of the server and a secret of somebody else's service cannot be made up; and
 * what a template wants to look a certain way may turn out not to: that is asked for by name.
 */
const made: Partial<Record<InputType, (asked: Asked, uid: string, nth: number) => InputValue | undefined>> = {
  string: ({ placeholder, min = 0 }) => placeholder ?? 'test'.padEnd(min, 't'),
  text: ({ placeholder, min = 0 }) => placeholder ?? 'test'.padEnd(min, 't'),
  password: ({ min = 0 }) => randomBytes(Math.max(18, min)).toString('base64url'),
  number: ({ min = 1 }) => Math.max(1, min),
  integer: ({ min = 1 }) => Math.max(1, min),
  boolean: () => false,
  email: () => 'test@example.org',
  url: (_, uid) => `https://${uid}.localhost/`,
  // Names that lead nowhere else, one of its own for each, so that no two tests want the same route.
  domain: (_, uid, nth) => `${nth === 0 ? '' : `${nth}.`}${uid}.localhost`,
  port: () => randomInt(20_000, 32_768),
  enum: ({ options }) => options?.[0]?.value,
  timezone: () => 'Etc/UTC',
};

/** Every answer that the template insists on: what was given first, then defaults, then what can be made up. */
export function testInputs(spec: Canonical, uid: string, given: Readonly<Inputs>): Inputs {
  const questions = new Map([...spec.inputs.required, ...spec.inputs.optional].map((input) => [input.name, input]));
  const answers: Inputs = { ...given };
  let domains = 0;
  // An answer can raise another question, and not more often than there are questions.
  for (let round = 0; round <= questions.size; round++) {
    const check = checkInputs(spec, answers, { mode: 'create' });
    if (check.ok) return check.values;
    const missing = check.problems.map(({ field }) => field.replace(/^inputs\./, ''));
    const before = Object.keys(answers).length;
    for (const name of missing) {
      const question = questions.get(name);
      if (question === undefined || Object.hasOwn(answers, name)) continue;
      const value = made[question.type]?.(question, uid, question.type === 'domain' ? domains++ : 0);
      if (value !== undefined) answers[name] = value;
    }
    if (Object.keys(answers).length === before) return accepted(check, {}).values;
  }
  return accepted(checkInputs(spec, answers, { mode: 'create' }), {}).values;
}
