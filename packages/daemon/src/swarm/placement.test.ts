import { describe, expect, it } from 'vitest';
import { desiredState } from '../plan/desired.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { desiredServices } from './desired-services.ts';
import { fits, placementOf } from './placement.ts';

describe('the placement of a component', () => {
  it('becomes constraints and a preference on labels of nodes', () => {
    expect(placementOf('web', { constraints: { disk: 'ssd', 'example.org/zone': 'a-1' }, spread: 'rack' })).toEqual({
      constraints: ['node.labels.disk==ssd', 'node.labels.example.org/zone==a-1'],
      spread: 'node.labels.rack',
    });
    expect(placementOf('web')).toEqual({ constraints: [], spread: undefined });
  });

  it('cannot become another expression of the Swarm', () => {
    for (const bad of ['ssd==1', 'a b', '', '!=x', 'a\n', "'"]) {
      expect(() => placementOf('web', { constraints: { disk: bad } })).toThrow('cannot be used in placement');
      expect(() => placementOf('web', { constraints: { [bad]: 'x' } })).toThrow('cannot be used in placement');
      expect(() => placementOf('web', { spread: bad })).toThrow('cannot be used in placement');
    }
  });

  it('is part of what decides whether a service changes', () => {
    const configOf = (overrides: Parameters<typeof component>[1]) => {
      const wanted = manifest('u', [component('web', overrides)]);
      const from = { deploymentId: 'dep', definitionId: 'def', revision: 1, serverId: 'srv', manifest: wanted };
      return desiredServices(desiredState(from), wanted, {
        node: undefined,
        cpus: 2,
        logDriver: '',
        routed: new Set(),
      })[0];
    };
    const placed = configOf({ placement: { constraints: { disk: 'ssd' } } });
    expect(placed?.spec.constraints).toEqual(['node.labels.disk==ssd']);
    expect(placed?.config).not.toBe(configOf({})?.config);
  });

  it('fits nodes with all required labels', () => {
    const labels = { disk: 'ssd', zone: 'a' };
    expect(fits({ constraints: { disk: 'ssd' } }, { labels })).toBe(true);
    expect(fits({ constraints: { disk: 'ssd', zone: 'b' } }, { labels })).toBe(false);
    expect(fits({}, { labels })).toBe(true);
  });
});
