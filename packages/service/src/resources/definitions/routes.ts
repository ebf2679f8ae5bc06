import type { definitionEndpoints } from '@hortus/contract/resources/definitions';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../problem.ts';
import type { Definitions } from './service.ts';

export const definitionRoutes = (definitions: Definitions): Handlers<keyof typeof definitionEndpoints> => ({
  'definitions.list': async ({ principal, query }) => {
    const { server_id: serverId, tenant_id: tenantId, status, q } = query;
    const filter = { accountId: principal.accountId, serverId, tenantId, status, q };
    return { success: true, ...(await definitions.list(filter, query)) };
  },
  'definitions.create': ({ principal, body, write }) =>
    definitions.createPlaced(principal, body, (create) =>
      write(async (tx) => ({ success: true, data: await create(tx) })),
    ),
  'definitions.read': async ({ principal, params, tags }) => {
    const data = await definitions.read(principal, params.id);
    tags.respond(data.current_revision);
    return { success: true, data };
  },
  'definitions.update': async ({ principal, params, body, tags, write }) => {
    const response = await write(async (tx) => {
      const unchanged = (revision: number) => tags.expect(revision);
      return { success: true, data: await definitions.update(tx, principal, params.id, body, unchanged) };
    });
    tags.respond(response.data.current_revision);
    return response;
  },
  'definitions.archive': ({ principal, params, query, write }) =>
    write(async (tx) => ({
      success: true,
      data: await definitions.archive(tx, principal, params.id, query.container),
    })),
  'definitions.activate': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await definitions.activate(tx, principal, params.id) })),
  'definitions.revisions': async ({ principal, params, query }) => ({
    success: true,
    ...(await definitions.revisions(principal, params.id, query)),
  }),
  'definitions.restore': async ({ principal, params, write }) => {
    if (!/^[1-9][0-9]{0,8}$/.test(params.number)) throw notFound('revision');
    const number = Number(params.number);
    return write(async (tx) => ({ success: true, data: await definitions.restore(tx, principal, params.id, number) }));
  },
  'definitions.secrets': async ({ principal, params, query }) => ({
    success: true,
    ...(await definitions.secrets(principal, params.id, query)),
  }),
});
