import type { upgradeEndpoints } from '@hortus/contract/resources/upgrades';
import type { Handlers } from '../../http/handler.ts';
import type { UpgradeApplication } from './apply.ts';
import type { Upgrades } from './service.ts';

export const upgradeRoutes = (
  upgrades: Upgrades,
  application: UpgradeApplication,
): Handlers<keyof typeof upgradeEndpoints> => ({
  'upgrades.list': async ({ principal, query }) => {
    const { instance_id: instanceId, definition_id: definitionId, server_id: serverId, species, status } = query;
    const filter = { accountId: principal.accountId, instanceId, definitionId, serverId, species, status };
    return { success: true, ...(await upgrades.list(filter, query)) };
  },
  'upgrades.scan': async ({ principal, body }) => ({
    success: true,
    data: await upgrades.scan(principal, body.instance_id),
  }),
  'upgrades.read': async ({ principal, params }) => ({
    success: true,
    data: await upgrades.read(principal, params.id),
  }),
  'upgrades.apply': async ({ principal, params, body, write }) => {
    const prepared = await application.prepare(principal, params.id);
    return write(async (tx) => ({ success: true, data: await application.apply(tx, principal, prepared, body) }));
  },
  'upgrades.rehearse': async ({ principal, params, body, write }) => {
    const prepared = await application.prepare(principal, params.id);
    return write(async (tx) => ({ success: true, data: await application.rehearse(tx, principal, prepared, body) }));
  },
  'upgrades.applyAll': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: { upgrades: await application.applyAll(tx, principal, body) } })),
  'upgrades.acknowledge': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await upgrades.acknowledge(tx, principal, params.id) })),
});
