import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { expect, it } from 'vitest';
import { applying, inputsOf, nameFrom, questionsOf } from './questions.ts';

const spec = {
  inputs: {
    required: [{ name: 'HOST', type: 'domain', immutable: false }],
    optional: [
      { name: 'MAIL', type: 'boolean', default: false, immutable: false },
      { name: 'SMTP', type: 'domain', when: { MAIL: true }, immutable: false },
    ],
  },
  secrets: { TOKEN: { external: true }, DB: { external: false } },
} as unknown as Canonical;
const questions = questionsOf(spec);

it('external secrets are asked for, generated ones are not', () => {
  expect(questions.map(({ name, required }) => `${name} ${required}`)).toEqual([
    'HOST true',
    'TOKEN true',
    'MAIL false',
    'SMTP false',
  ]);
});

it('an input is shown and sent only while its condition holds, by default or by what was entered', () => {
  const names = (entered: Record<string, string | boolean>) => applying(questions, entered).map(({ name }) => name);
  expect(names({})).not.toContain('SMTP');
  expect(names({ MAIL: true })).toContain('SMTP');
  expect(inputsOf(questions, { HOST: 'a.example.org', SMTP: 'mail.example.org', TOKEN: '' })).toEqual({
    HOST: 'a.example.org',
  });
});

it('a name comes from the first label of an address', () => {
  expect(['letters.example.org', 'www.example.org', 'letters', 'a_b.c'].map(nameFrom)).toEqual([
    'letters',
    undefined,
    undefined,
    undefined,
  ]);
});
