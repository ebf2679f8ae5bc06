import { expect, it } from 'vitest';
import { builtInActions, isExclusive } from './built-in-actions.ts';
import { wrongParam } from './built-in-params.ts';

it('a missing parameter of a built-in action is named instead of becoming a text', () => {
  expect(wrongParam('hortus.restore', { backup_id: 'bak_1', safety_backup_id: 'bak_2' })).toBe(
    'manifest_sha256: is missing',
  );
  expect(wrongParam('hortus.verify_backup', { backup_id: 'bak_1', manifest_sha256: 7 })).toMatch(/^manifest_sha256: /);
  expect(wrongParam('hortus.prune', { living: [7] })).toMatch(/^living\.0: /);
});

it('parameters that a daemon does not know do no harm', () => {
  expect(wrongParam('hortus.stop', { step_of: 'hortus.release' })).toBeUndefined();
  expect(wrongParam('hortus.backup', { backup_id: 'bak_1', key: 'c2VjcmV0' })).toBeUndefined();
});

it('only what touches nothing but backups runs beside other actions', () => {
  const beside = Object.keys(builtInActions).filter((slug) => !isExclusive(slug));
  expect(beside).toEqual(['hortus.verify_backup', 'hortus.delete_backup']);
});
