import type { InputType, InputValue } from '@hortus/contract/template/inputs';
import type { Canonical, CanonicalInput } from '../canonical/canonical-form.ts';
import type { Inputs } from './inputs.ts';

const EXAMPLES: Record<InputType, InputValue> = {
  string: 'example',
  text: 'first line\nsecond line',
  password: 'correct horse battery staple',
  number: 1,
  integer: 1,
  boolean: true,
  email: 'user@example.org',
  url: 'https://example.org/',
  domain: 'app.example.org',
  ip: '192.0.2.1',
  port: 8080,
  path: '/srv/example',
  enum: '',
  timezone: 'Etc/UTC',
};

/** Returns an example value for every input without a default; a placeholder of the template takes precedence. */
export function exampleInputs(spec: Canonical): Inputs {
  const values: Inputs = {};
  for (const input of [...spec.inputs.required, ...spec.inputs.optional]) {
    if (input.default === undefined) values[input.name] = exampleOf(input);
  }
  for (const [name, secret] of Object.entries(spec.secrets)) if (secret.external) values[name] = EXAMPLES.password;
  return values;
}

function exampleOf({ type, placeholder, options, min }: CanonicalInput): InputValue {
  if (type === 'enum') return options?.[0]?.value ?? '';
  if (typeof EXAMPLES[type] === 'number') return Math.max(EXAMPLES[type], min ?? EXAMPLES[type]);
  return type === 'boolean' ? EXAMPLES.boolean : (placeholder ?? EXAMPLES[type]);
}
