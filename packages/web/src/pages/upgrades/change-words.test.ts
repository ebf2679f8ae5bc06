import { expect, it } from 'vitest';
import { changeWords } from './change-words.ts';

it('a change is a sentence, and long texts are left to the diff', () => {
  const image = {
    area: 'image',
    component: 'web',
    name: 'image',
    change: 'changed',
    from: 'memos:1',
    to: 'memos:2',
  } as const;
  expect(changeWords(image)).toBe('The image of web changes from memos:1 to memos:2.');
  expect(changeWords({ ...image, area: 'env', name: 'MODE', change: 'added', from: null, to: 'prod' })).toBe(
    'The environment variable MODE of web is new: prod.',
  );
  expect(changeWords({ ...image, area: 'file', name: 'app.conf', from: 'a\nb', to: 'a\nc' })).toBe(
    'The file app.conf of web changes.',
  );
  expect(changeWords({ ...image, area: 'volume', name: 'data', component: null, change: 'removed', to: null })).toBe(
    'The volume data is removed.',
  );
});
