import type { Category, catalogEndpoints } from '@hortus/contract/resources/catalog';
import type { Handlers } from '../../http/handler.ts';
import { slice } from '../../storage/page.ts';
import { allFamilies, taxonomyTree } from '../taxonomy/public.ts';
import { byName, type Catalog } from '../templates/public.ts';

export const catalogRoutes = (catalog: Catalog): Handlers<keyof typeof catalogEndpoints> => ({
  'catalog.list': async ({ query }) => {
    const items = catalog.newest().filter((item) => query.family === undefined || item.family === query.family);
    const shelved = items.sort((a, b) => a.family.localeCompare(b.family, 'en') || byName(a, b));
    return { success: true, ...slice(shelved, query) };
  },
  'catalog.categories': async ({ query }) => {
    const categories = allFamilies(taxonomyTree(catalog.newest())).map(
      ({ id, name, description, kingdom, species_count }): Category => ({
        family: id,
        name,
        description,
        kingdom,
        count: species_count,
      }),
    );
    return { success: true, ...slice(categories, query) };
  },
});
