import { expect, it } from 'vitest';
import { applying, changesOf, type FormInput } from './input-changes.ts';

const inputs: FormInput[] = [
  { name: 'TITLE', type: 'string', immutable: false },
  { name: 'PORT', type: 'port', immutable: false },
  { name: 'OPEN', type: 'boolean', immutable: false, default: false },
  { name: 'PASSWORD', type: 'password', immutable: false, when: { OPEN: true } },
];
const present = { TITLE: 'Notes', PORT: 80 };

it('only changed settings are sent, each in its type', () => {
  expect(changesOf(inputs, present, {})).toEqual({});
  expect(changesOf(inputs, present, { TITLE: 'Notes', PORT: '81', OPEN: 'true' })).toEqual({ PORT: 81, OPEN: true });
  expect(changesOf(inputs, present, { PORT: 'x' })).toEqual({ PORT: 'x' });
});

it('an emptied setting is removed, an empty password is kept', () => {
  expect(changesOf(inputs, present, { TITLE: '', PASSWORD: '' })).toEqual({ TITLE: null });
});

it('an input appears when the setting that it depends on has the right value', () => {
  const shown = (open: string) => applying(inputs, (name) => (name === 'OPEN' ? open : '')).map(({ name }) => name);
  expect(shown('')).not.toContain('PASSWORD');
  expect(shown('true')).toContain('PASSWORD');
});
