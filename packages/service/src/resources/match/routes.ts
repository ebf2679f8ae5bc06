import type { matchEndpoints } from '@hortus/contract/resources/match';
import type { Handlers } from '../../http/handler.ts';
import type { Catalog, CatalogTemplate } from '../templates/public.ts';
import { type Candidate, match } from './matching.ts';

type Named = Candidate & Pick<CatalogTemplate, 'item'>;

const candidate = ({ item, spec }: CatalogTemplate): Named => ({
  item,
  name: item.name,
  featured: item.featured,
  deprecated: item.deprecated,
  provides: spec.provides.map((provision) => provision.class),
  needs: spec.needs.filter((need) => !need.optional).map((need) => need.class),
});

export const matchRoutes = (catalog: Catalog): Handlers<keyof typeof matchEndpoints> => ({
  'match.find': async ({ principal: { accountId }, body }) => {
    const wanted = body.needs.map((need) => need.class);
    const { matches, unmet, best } = match(wanted, catalog.species(accountId).map(candidate));
    const byNeed = new Map(matches.map(({ need, templates }) => [need, templates]));
    return {
      success: true,
      data: {
        matches: wanted.map((need) => ({
          need: { class: need },
          templates: (byNeed.get(need) ?? []).map(({ template, provides, missing }) => ({
            ...template.item,
            provides: [...provides],
            needs: [...missing],
          })),
        })),
        unmet: [...unmet],
        best: best.map(({ template, covers }) => ({ ...template.item, covers: [...covers] })),
      },
    };
  },
});
