import { expect, test } from 'vitest';
import { missingPackages } from './debian-packages.ts';

test('a package counts as installed if one of its files exists', () => {
  const wanted = [
    { name: 'by-path', proof: ['/nowhere/*', '/usr/*/env'] },
    { name: 'by-command', proof: ['env'] },
    { name: 'absent', proof: ['/nowhere/*', 'no-such-command'] },
  ];
  expect(missingPackages(wanted)).toEqual(['absent']);
});
