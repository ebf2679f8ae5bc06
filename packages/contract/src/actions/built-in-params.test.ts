import { expect, it } from 'vitest';
import { builtInActions, isExclusive } from './built-in-actions.ts';
import { wrongParam } from './built-in-params.ts';

it('a built-in action without a required parameter is refused by the name of that parameter', () => {
  expect(wrongParam('hortus.restore', { backup_id: 'bak_1', safety_backup_id: 'bak_2' })).toBe(
    'manifest_sha256: is missing',
  );
  expect(wrongParam('hortus.verify_backup', { backup_id: 'bak_1', manifest_sha256: 7 })).toMatch(/^manifest_sha256: /);
  expect(wrongParam('hortus.prune', { living: [7] })).toMatch(/^living\.0: /);
});

it('unknown parameters of a built-in action are ignored', () => {
  expect(wrongParam('hortus.stop', { step_of: 'hortus.release' })).toBeUndefined();
  expect(wrongParam('hortus.backup', { backup_id: 'bak_1', key: 'c2VjcmV0' })).toBeUndefined();
});

it('only actions that leave the instance alone may run beside other actions', () => {
  const beside = Object.keys(builtInActions).filter((slug) => !isExclusive(slug));
  expect(beside).toEqual(['hortus.copy_data', 'hortus.verify_backup', 'hortus.delete_backup']);
});
