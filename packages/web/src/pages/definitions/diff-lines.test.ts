import type { Revision } from '@hortus/contract/resources/definition-records';
import { expect, it } from 'vitest';
import { linesOf } from './diff-lines.ts';

const revision = (number: number, inputs: Revision['inputs'], changes: Revision['changes'] = []): Revision => ({
  number,
  current: false,
  template_id: 'tpl_1',
  spec_hash: `sha256:${'0'.repeat(64)}`,
  profile: 'development',
  variant: null,
  inputs,
  secret_inputs: ['PASSWORD'],
  bindings: {},
  created_at: '2030-01-01T00:00:00.000Z',
  created_by: null,
  changes,
});

it('changed settings come first, with both values; a new one has none before', () => {
  const lines = linesOf(revision(1, { A: 1, B: 'x' }), revision(2, { A: 2, B: 'x', C: true }));
  expect(lines.slice(0, 2)).toEqual([
    { name: 'A', before: '1', after: '2', differs: true },
    { name: 'C', before: undefined, after: 'true', differs: true },
  ]);
  expect(lines.find(({ name }) => name === 'B')?.differs).toBe(false);
});

it('a rotated secret counts as changed between neighbours, without any value', () => {
  const rotated = revision(2, {}, [{ field: 'secrets.PASSWORD', change: 'changed' }]);
  const line = linesOf(revision(1, {}), rotated)[0];
  expect(line).toEqual({ name: 'PASSWORD', before: '••••••', after: '••••••', differs: true });
});
