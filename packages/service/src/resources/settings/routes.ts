import type { Setting, settingEndpoints } from '@hortus/contract/resources/settings';
import type { Handlers } from '../../http/handler.ts';
import { countKey } from '../../storage/lists.ts';
import type { Pages } from '../../storage/page.ts';

/** Settings are read once at the start and do not change while the service runs. */
export const settingRoutes = (
  effective: readonly Setting[],
  pages: Pages,
): Handlers<keyof typeof settingEndpoints> => ({
  'settings.list': async ({ query }) => ({
    success: true,
    ...(await pages.read(query, {
      rows: async (limit, offset) => effective.slice(offset, offset + limit),
      count: async () => effective.length,
      countKey: countKey('settings', {}),
    })),
  }),
});
