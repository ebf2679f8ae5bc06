import type { Permission } from '@hortus/contract/permissions';
import type { OverviewCounts } from '@hortus/contract/resources/overview';
import { useMay } from '../api/session.ts';
import type { IconName } from '../parts/icon.tsx';
import type { PagePath } from '../parts/page-path.ts';

/** A page of the index. It appears if the signed-in person may read it. */
export interface Place {
  readonly name: string;
  readonly to: PagePath;
  /** Second key of the jump: `g i` goes to the instances. */
  readonly key?: string;
  readonly permission?: Permission;
  readonly count?: keyof OverviewCounts;
  /** Shown in the tab bar of a phone. */
  readonly icon?: IconName;
}

/** The index, in groups: look, run, ground, record. */
const groups: readonly (readonly Place[])[] = [
  [
    { name: 'Overview', to: '/', key: 'o', icon: 'home' },
    { name: 'Catalog', to: '/catalog', key: 'c', permission: 'templates:read', count: 'species', icon: 'shelf' },
  ],
  [
    { name: 'Instances', to: '/instances', key: 'i', permission: 'instances:read', count: 'instances', icon: 'sprout' },
    { name: 'Definitions', to: '/definitions', key: 'd', permission: 'definitions:read', count: 'definitions' },
    { name: 'Deployments', to: '/deployments', key: 'p', permission: 'deployments:read', count: 'deployments' },
    { name: 'Upgrades', to: '/upgrades', key: 'u', permission: 'upgrades:read', count: 'upgrades' },
    { name: 'Gardens', to: '/gardens', key: 'b', permission: 'gardens:read' },
  ],
  [
    { name: 'Servers', to: '/servers', key: 's', permission: 'servers:read', count: 'servers' },
    { name: 'Tenants', to: '/tenants', key: 't', permission: 'tenants:read', count: 'tenants' },
    { name: 'Connections', to: '/connections', key: 'l', permission: 'connections:read' },
  ],
  [
    { name: 'Events', to: '/events', key: 'e', permission: 'events:read', icon: 'pulse' },
    { name: 'Webhooks', to: '/webhooks', key: 'w', permission: 'webhooks:read', count: 'webhooks' },
    { name: 'Notifications', to: '/notifications', key: 'n', permission: 'notifications:read' },
    { name: 'Recipes', to: '/recipes', key: 'r', permission: 'recipes:read' },
    { name: 'Confirmations', to: '/confirmations', key: 'f', permission: 'confirmations:request' },
    { name: 'Assistant', to: '/assistant', key: 'a', permission: 'assistant:ask' },
  ],
];
const settings: Place = { name: 'Settings', to: '/settings', key: ',' };

/** The places that the signed-in person can go to. */
export function usePlaces(): {
  groups: readonly (readonly Place[])[];
  settings: Place;
  all: readonly Place[];
} {
  const may = useMay();
  const open = ({ permission }: Place) => permission === undefined || may(permission);
  const shown = groups.map((group) => group.filter(open)).filter((group) => group.length > 0);
  return { groups: shown, settings, all: [...shown.flat(), settings] };
}
