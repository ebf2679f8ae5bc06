import type { manifestEndpoints } from '@hortus/contract/resources/manifest';
import type { Handlers } from '../../http/handler.ts';
import type { Queries } from '../../storage/storage.ts';
import type { ManifestReading } from './reading.ts';

export const manifestRoutes = (
  reading: ManifestReading,
  reader: Queries,
): Handlers<keyof typeof manifestEndpoints> => ({
  'manifest.read': async ({ principal, query, secure, write }) => {
    if (principal.kind !== 'server') return { success: true, data: await reading.forPerson(reader, principal, query) };
    await reading.introduce(principal, query);
    return write(async (tx) => ({ success: true, data: await reading.forDaemon(tx, principal, query, secure) }));
  },
});
