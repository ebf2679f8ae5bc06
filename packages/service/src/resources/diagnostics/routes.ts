import type { diagnosticEndpoints } from '@hortus/contract/resources/diagnostics';
import type { Handlers } from '../../http/handler.ts';
import type { ServerDiagnostics } from './service.ts';

export const diagnosticRoutes = (diagnostics: ServerDiagnostics): Handlers<keyof typeof diagnosticEndpoints> => ({
  'diagnostics.read': async ({ principal, params }) => ({
    success: true,
    data: await diagnostics.read(principal, params.id),
  }),
  'diagnostics.report': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await diagnostics.report(tx, principal, params.id, body) })),
});
