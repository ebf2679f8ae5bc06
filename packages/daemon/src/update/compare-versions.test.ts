import { expect, test } from 'vitest';
import { compareVersions } from './compare-versions.ts';

test('versions are ordered by the precedence of semantic versioning', () => {
  const ordered = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ];
  for (const [index, version] of ordered.entries())
    for (const [other, compared] of ordered.entries())
      expect(Math.sign(compareVersions(version, compared)), `${version} ${compared}`).toBe(Math.sign(index - other));
});

test('build metadata does not matter', () => {
  expect(compareVersions('1.0.0+1', '1.0.0+2-3')).toBe(0);
  expect(compareVersions('1.0.0-rc.1+x', '1.0.0-rc.1')).toBe(0);
});
