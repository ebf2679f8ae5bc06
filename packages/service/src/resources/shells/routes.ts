import type { shellEndpoints } from '@hortus/contract/resources/shells';
import type { Handlers } from '../../http/handler.ts';
import type { Shells } from './service.ts';

export const shellRoutes = (shells: Shells): Handlers<keyof typeof shellEndpoints> => ({
  'shells.open': ({ principal, params, body, address, write }) =>
    write(async (tx) => ({ success: true, data: await shells.open(tx, principal, params.id, body, address) })),
  'shells.list': async ({ principal, params, query }) => ({
    success: true,
    ...(await shells.list(principal, params.id, query)),
  }),
  'shells.read': async ({ principal, params }) => ({ success: true, data: await shells.read(principal, params.id) }),
  'shells.recording': async ({ principal, params, query }) => ({
    success: true,
    data: await shells.recording(principal, params.id, query.after),
  }),
});
