import { randomBytes, randomInt } from 'node:crypto';
import type { InputType, InputValue } from '@hortus/contract/template/inputs';
import type { Canonical, CanonicalInput } from '@hortus/template/canonical/canonical-form';
import { checkInputs, type Inputs } from '@hortus/template/inputs/inputs';
import { accepted } from '../../records/accepted-inputs.ts';
import { workerJob } from '../../workers/job.ts';

type Asked = Pick<CanonicalInput, 'name' | 'min' | 'options' | 'placeholder'>;

/**
 * Generates test values for required inputs. Server paths and external secrets cannot be generated, and generated
 * values may fail a pattern of the template; the caller has to give those.
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
  // Local names, unique per test, so that no two tests claim the same route.
  domain: (_, uid, nth) => `${nth === 0 ? '' : `${nth}.`}${uid}.localhost`,
  port: () => randomInt(20_000, 32_768),
  enum: ({ options }) => options?.[0]?.value,
  timezone: () => 'Etc/UTC',
};

/** Fills all required inputs: given values first, then defaults, then generated ones. */
function testInputs(spec: Canonical, uid: string, entered: Readonly<Inputs>): Inputs {
  const questions = new Map([...spec.inputs.required, ...spec.inputs.optional].map((input) => [input.name, input]));
  const replies: Inputs = { ...entered };
  let domains = 0;
  // An answer can make another input required, at most once per input.
  for (let round = 0; round <= questions.size; round++) {
    const check = checkInputs(spec, replies, { mode: 'create' });
    if (check.ok) return check.values;
    const missing = check.problems.map(({ field }) => field.replace(/^inputs\./, ''));
    const before = Object.keys(replies).length;
    for (const name of missing) {
      const question = questions.get(name);
      if (question === undefined || Object.hasOwn(replies, name)) continue;
      const value = made[question.type]?.(question, uid, question.type === 'domain' ? domains++ : 0);
      if (value !== undefined) replies[name] = value;
    }
    if (Object.keys(replies).length === before) return accepted(check, {}).values;
  }
  return accepted(checkInputs(spec, replies, { mode: 'create' }), {}).values;
}

export const TEST_INPUTS = workerJob('inputs.forTest', testInputs);
