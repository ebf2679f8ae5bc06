import { allows, permissionNames } from '@hortus/contract/permissions';
import { permissions } from '@hortus/contract/records/names';
import type { keyEndpoints } from '@hortus/contract/resources/keys';
import type { Handlers } from '../../http/handler.ts';
import { slice } from '../../storage/page.ts';
import type { Keys } from './service.ts';

export const keyRoutes = (keys: Keys): Handlers<keyof typeof keyEndpoints> => ({
  'keys.permissions': async ({ principal, query }) => {
    const granted = principal.kind === 'server' ? [] : principal.permissions;
    const all = permissionNames.map((name) => ({
      name,
      description: permissions[name],
      granted: allows(granted, name),
    }));
    return { success: true, ...slice(all, query) };
  },
  'keys.list': async ({ principal, query }) => ({ success: true, ...(await keys.list(principal, query)) }),
  'keys.create': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await keys.create(tx, principal, body) })),
  'keys.revoke': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await keys.revoke(tx, principal, params.id) })),
});
