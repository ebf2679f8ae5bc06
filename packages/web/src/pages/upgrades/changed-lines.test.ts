import { expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

it('a diff of a file shows the lines that differ, not the whole file', () => {
  expect(changedLines('a\nb\nc', 'a\nx\ny\nc')).toEqual({ removed: ['b'], added: ['x', 'y'] });
  expect(changedLines(null, 'a')).toEqual({ removed: [], added: ['a'] });
  expect(changedLines('a', null)).toEqual({ removed: ['a'], added: [] });
});
