import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareVersions } from './version-order.ts';

it('versions are ordered by number, a release after its pre-releases', () => {
  const inOrder = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-rc.2',
    '1.0.0-rc.10',
    '1.0.0',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ];
  expect([...inOrder].reverse().sort(compareVersions)).toEqual(inOrder);
  expect(compareVersions('1.0.0+build.1', '1.0.0+build.2')).toBe(0);
});

it('versions have a total order for any input', () => {
  const number = fc.nat(20);
  const version = fc.oneof(
    fc.tuple(number, number, number).map((parts) => parts.join('.')),
    fc
      .tuple(number, number, fc.constantFrom('-rc.1', '-rc.2', '-beta', ''))
      .map(([a, b, label]) => `${a}.${b}.0${label}`),
    fc.string(),
  );
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
      const [x, y, z] = [a, b, c].sort(compareVersions) as [string, string, string];
      expect(compareVersions(x, z)).toBeLessThanOrEqual(0);
      expect(Math.max(compareVersions(x, y), compareVersions(y, z))).toBeLessThanOrEqual(0);
    }),
  );
});
