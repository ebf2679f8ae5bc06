import type { Template, TemplateItem, templateEndpoints } from '@hortus/contract/resources/templates';
import { mark } from '@hortus/template/marks/mark';
import { projectById, projectBySpecies } from '@hortus/template/resolution/projections';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../problem.ts';
import { slice } from '../../storage/page.ts';
import type { Catalog } from './catalog.ts';
import { type VersionsDeps, versionsOf } from './versions.ts';

/** Sorts by score; equal scores keep their order. */
function found(scores: ReadonlyMap<TemplateItem, number>, items: readonly TemplateItem[]): TemplateItem[] {
  return items.filter((item) => scores.has(item)).sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
}

export const templateRoutes = (
  catalog: Catalog,
  deps: Omit<VersionsDeps, 'catalog'>,
): Handlers<keyof typeof templateEndpoints> => ({
  'templates.list': async ({ principal: { accountId }, query }) => {
    const all = query.versions === 'all' ? catalog.everyVersion(accountId) : catalog.newest(accountId);
    const items = query.q === undefined ? all : found(await catalog.search(query.q, accountId), all);
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
  'templates.upcoming': async ({ principal: { accountId }, query }) => ({
    success: true,
    ...slice(catalog.upcoming(accountId), query),
  }),
  'templates.read': async ({ principal: { accountId }, params, query }) => {
    const byId = params.species.startsWith('tpl_');
    const template = byId
      ? catalog.visibleById(params.species, accountId)
      : catalog.newestOf(params.species, accountId);
    if (!template) throw notFound('template');
    const shape = query.shape ?? (byId ? 'id' : 'species');
    const spec = shape === 'id' ? projectById(template.spec) : projectBySpecies(template.spec);
    return { success: true, data: { ...template.item, spec: spec as Template['spec'] } };
  },
  'templates.versions': async ({ principal: { accountId }, params, query }) => ({
    success: true,
    ...(await versionsOf({ ...deps, catalog }, params.species, accountId, query)),
  }),
  'templates.mark': async ({ params, query }) => {
    const known = catalog.visibleById(params.species) ?? catalog.newestOf(params.species);
    const { species, family = query.family } = known?.item ?? { species: params.species };
    if (family === undefined) throw notFound('template');
    return mark(species, family, { size: query.size ?? 96, theme: query.theme ?? 'any' });
  },
  'templates.logo': async ({ params }) => {
    const known = catalog.visibleById(params.species) ?? catalog.newestOf(params.species);
    const logo = known && catalog.logoOf(known);
    if (logo === undefined) throw notFound('logo');
    return logo;
  },
});
