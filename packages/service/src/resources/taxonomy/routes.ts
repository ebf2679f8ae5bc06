import type { taxonomyEndpoints } from '@hortus/contract/resources/taxonomy';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../problem.ts';
import { slice } from '../../storage/page.ts';
import type { Catalog } from '../templates/public.ts';
import { allFamilies, kingdomDetail, speciesNode, taxonomyTree, withoutFamilies } from './tree.ts';

export const taxonomyRoutes = (catalog: Catalog): Handlers<keyof typeof taxonomyEndpoints> => {
  const tree = () => taxonomyTree(catalog.newest());
  return {
    'taxonomy.tree': async () => ({ success: true, data: tree() }),
    'taxonomy.kingdoms': async ({ query }) => ({
      success: true,
      ...slice(tree().kingdoms.map(withoutFamilies), query),
    }),
    'taxonomy.kingdom': async ({ params }) => {
      const kingdom = tree().kingdoms.find(({ id }) => id === params.kingdom_id);
      if (!kingdom) throw notFound('kingdom');
      return { success: true, data: kingdomDetail(kingdom) };
    },
    'taxonomy.family': async ({ params }) => {
      const family = allFamilies(tree()).find(({ id }) => id === params.family_id);
      if (!family) throw notFound('family');
      return { success: true, data: family };
    },
    'taxonomy.species': async ({ params }) => {
      const template = catalog.newestOf(params.species_id);
      if (!template) throw notFound('species');
      return { success: true, data: { ...speciesNode(template.item), variants: template.variants } };
    },
  };
};
