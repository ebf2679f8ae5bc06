import { expect, test } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { fillCopy } from './fill-copy.ts';

test('an instance that is not a copy is never filled with the data of another', async () => {
  // Any access to the engine or the backup would throw another error.
  const target = { ...manifest('live', [component('main')]), instance_uid: 'live' };
  await expect(fillCopy({ target } as never, 'ab')).rejects.toThrow('live is not a copy.');
});
