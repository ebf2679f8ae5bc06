import type { installationEndpoints } from '@hortus/contract/resources/installation';
import type { Handlers } from '../../http/handler.ts';
import type { Installation } from './service.ts';

export const installationRoutes = (installation: Installation): Handlers<keyof typeof installationEndpoints> => ({
  'accounts.list': async ({ query }) => ({ success: true, ...(await installation.list(query)) }),
  'accounts.create': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await installation.create(tx, principal, body) })),
  'accounts.setPlan': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await installation.setPlan(tx, principal, params.id, body.plan) })),
});
