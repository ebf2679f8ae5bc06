import { expect, test } from 'vitest';
import { desiredState } from './desired.ts';
import { component, manifest } from './testing/manifests.ts';

const networksOf = (overrides: Parameters<typeof manifest>[2]) => {
  const from = { deploymentId: 'dep_1', definitionId: 'def_1', revision: 1, serverId: 'srv_1' };
  const { network, home } = desiredState({ ...from, manifest: manifest('u', [component('main')], overrides) });
  return [network?.internal, home.internal];
};

test('both networks of an isolated copy are internal, also the one of a redeployment', () => {
  expect(networksOf({ isolated: { routes: [] } })).toEqual([true, true]);
  expect(networksOf({})).toEqual([undefined, undefined]);
});
