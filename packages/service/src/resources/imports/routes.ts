import type { importEndpoints } from '@hortus/contract/resources/imports';
import type { Handlers } from '../../http/handler.ts';
import type { Catalog } from '../templates/public.ts';
import type { Exports } from './exports.ts';
import type { Imports } from './service.ts';

export const importRoutes = (
  exports: Exports,
  imports: Imports,
  catalog: Pick<Catalog, 'takenUp'>,
): Handlers<keyof typeof importEndpoints> => ({
  'definitions.export': ({ principal, params, body, secure, write }) =>
    write(async (tx) => ({ success: true, data: await exports.export(tx, principal, params.id, body, secure) })),
  'backups.fetch': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await exports.fetch(tx, principal, params.id, body.volume) })),
  'definitions.import': async ({ principal, body, write }) => {
    const prepared = await imports.prepare(principal, body);
    const begun = write(async (tx) => ({ success: true, data: await imports.begin(tx, principal, prepared) }));
    return catalog.takenUp(begun);
  },
  'imports.list': async ({ principal, query }) => {
    const filter = { accountId: principal.accountId, status: query.status };
    return { success: true, ...(await imports.list(filter, query)) };
  },
  'imports.read': async ({ principal, params }) => ({ success: true, data: await imports.read(principal, params.id) }),
  'imports.fill': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await imports.fill(tx, principal, params.id, body.volume) })),
  'imports.cancel': ({ principal, params, write }) => {
    const ended = write(async (tx) => ({ success: true, data: await imports.cancel(tx, principal, params.id) }));
    return catalog.takenUp(ended);
  },
});
