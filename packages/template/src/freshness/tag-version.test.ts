import { expect, it } from 'vitest';
import { tagVersion } from './tag-version.ts';

it.each([
  ['17.10', [17, 10], ''],
  ['v2.63.23', [2, 63, 23], ''],
  ['17.10-alpine3.22', [17, 10], 'alpine'],
  ['8.2.1-bookworm', [8, 2, 1], 'bookworm'],
  ['6.8.3-php8.3-apache', [6, 8, 3], 'php-apache'],
  ['16.0.3-rootless', [16, 0, 3], 'rootless'],
  ['apache-2.31.0', [2, 31, 0], 'apache'],
  ['version-6.6.3', [6, 6, 3], 'version'],
  ['cli-2.12.0-php8.3', [2, 12, 0], 'cli-php'],
  ['2025-05-14b-ls309', [2025, 5, 14, 2, 309], ''],
  ['RELEASE.2025-09-07T16-13-09Z', [2025, 9, 7, 13], 'release-t-z'],
  ['27-r1-ls167', [27, 1, 167], ''],
  ['2024.10.22-7ca5933', [2024, 10, 22], ''],
  ['250321', [250321], ''],
])('%s is taken apart', (tag, numbers, flavour) => {
  expect(tagVersion(tag)).toMatchObject({ numbers, flavour, stable: true });
});

it.each(['3.0.0-rc.1', '3.0rc2', '2.0.0-beta', '1.4.0-alpha.3', '5.1-nightly', '2.0b1', '9.0.0-dev', '4.2-edge'])(
  '%s is not stable',
  (tag) => {
    expect(tagVersion(tag)).toMatchObject({ stable: false });
  },
);

it.each(['latest', 'stable', 'alpine', 'main'])('%s names no version', (tag) => {
  expect(tagVersion(tag)).toBeUndefined();
});

it('tells dates and years from counted versions', () => {
  expect(['250321', '20250321', '2026.8.1', '2026-04-17', '33.0.6'].map((tag) => tagVersion(tag)?.scheme)).toEqual([
    'dates',
    'dates',
    'years',
    'years',
    'numbers',
  ]);
});
