import { endpoints } from '@hortus/contract/endpoints';
import type { Plugin } from 'rolldown';

const reduced = '\0callers-table';

/**
 * Gives the client only what it needs of the endpoint table to call each endpoint. The schemas repeat what the compiler has
 * checked; without them a bundle is megabytes smaller and loads sooner.
 */
export const callersTable: Plugin = {
  name: 'callers-table',
  resolveId: {
    filter: { id: /^@hortus\/contract\/endpoints$/ },
    handler: (_id, importer) => (importer?.includes('/packages/client/') ? reduced : undefined),
  },
  load: {
    filter: { id: new RegExp(`^${reduced}$`) },
    handler: () => {
      const rows = Object.entries(endpoints).map(([name, { method, path, idempotent, media }]) => [
        name,
        { method, path, idempotent, media },
      ]);
      return `export const endpoints = ${JSON.stringify(Object.fromEntries(rows))};`;
    },
  },
};
