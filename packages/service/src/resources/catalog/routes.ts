import type { Category, catalogEndpoints } from '@hortus/contract/resources/catalog';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import type { Handlers } from '../../http/handler.ts';
import { slice } from '../../storage/page.ts';
import { allFamilies, taxonomyTree } from '../taxonomy/public.ts';
import { byName, type Catalog } from '../templates/public.ts';
import { catalogItem } from './catalog-item.ts';

export const catalogRoutes = (catalog: Catalog): Handlers<keyof typeof catalogEndpoints> => ({
  'catalog.list': async ({ query }) => {
    const items = catalog.newest().filter((item) => query.family === undefined || item.family === query.family);
    const shelved = items.sort((a, b) => a.family.localeCompare(b.family, 'en') || byName(a, b));
    return { success: true, ...slice(shelved, query) };
  },
  'catalog.shelf': async ({ principal: { accountId } }) => {
    const species = catalog.species(accountId);
    const families = categoriesOf(species.map(({ item }) => item));
    return { success: true, data: { families, species: species.map(catalogItem) } };
  },
  'catalog.categories': async ({ query }) => ({ success: true, ...slice(categoriesOf(catalog.newest()), query) }),
});

const categoriesOf = (items: readonly TemplateItem[]): Category[] =>
  allFamilies(taxonomyTree(items)).map(({ id, name, description, kingdom, species_count }) => ({
    family: id,
    name,
    description,
    kingdom,
    count: species_count,
  }));
