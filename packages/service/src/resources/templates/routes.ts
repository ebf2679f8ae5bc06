import type { Template, templateEndpoints } from '@hortus/contract/resources/templates';
import { projectById, projectBySpecies } from '@hortus/template/projections';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../problem.ts';
import { slice } from '../../storage/page.ts';
import type { Catalog } from './catalog.ts';

export const templateRoutes = (catalog: Catalog): Handlers<keyof typeof templateEndpoints> => ({
  'templates.list': async ({ query }) => {
    const items = query.versions === 'all' ? catalog.everyVersion() : catalog.newest();
    const wanted = items.filter(
      (item) =>
        (query.kingdom === undefined || item.taxonomy.kingdom === query.kingdom) &&
        (query.family === undefined || item.family === query.family) &&
        (query.species === undefined || item.species === query.species),
    );
    return { success: true, ...slice(wanted, query) };
  },
  'templates.featured': async ({ query }) => ({
    success: true,
    ...slice(
      catalog.newest().filter((item) => item.featured),
      query,
    ),
  }),
  'templates.upcoming': async ({ query }) => ({ success: true, ...slice(catalog.upcoming(), query) }),
  'templates.read': async ({ params, query }) => {
    const byId = params.species.startsWith('tpl_');
    const template = byId ? catalog.byId(params.species) : catalog.newestOf(params.species);
    if (!template) throw notFound('template');
    const shape = query.shape ?? (byId ? 'id' : 'species');
    const spec = shape === 'id' ? projectById(template.spec) : projectBySpecies(template.spec);
    return { success: true, data: { ...template.item, spec: spec as Template['spec'] } };
  },
});
