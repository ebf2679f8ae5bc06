import type { ManifestAction } from '@hortus/contract/template/manifest';
import { expect, it } from 'vitest';
import { Problem } from '../../problem.ts';
import { fillAction } from './request.ts';

const action = (changes: Pick<ManifestAction, 'command' | 'env'>): ManifestAction => ({
  slug: 'a',
  name: 'A',
  description: '',
  component: 'main',
  type: 'exec',
  timeout_ms: 1_000,
  dangerous: false,
  params: [{ name: 'A', type: 'text', required: false }],
  ...changes,
});

it.each<[string, Pick<ManifestAction, 'command' | 'env'>]>([
  ['an argument', { command: ['${params.A}-'.repeat(5_000)], env: {} }],
  ['its arguments', { command: Array.from({ length: 256 }, () => '${params.A}'), env: {} }],
  ['its environment', { command: ['true'], env: { A: '${params.A}-'.repeat(5_000) } }],
])('an action with one value in %s thousands of times is refused, naming the params', (_, changes) => {
  const fill = () => fillAction(action(changes), { A: 'x'.repeat(65_000) });
  expect(fill).toThrow(Problem);
  expect(fill).toThrow(/^params: fill the command and its environment with \d+ characters; at most 1048576/);
});
