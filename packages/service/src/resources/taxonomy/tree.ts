import type {
  Family,
  FamilyDetail,
  Kingdom,
  KingdomDetail,
  Species,
  TaxonomyTree,
} from '@hortus/contract/resources/taxonomy';
import type { TemplateItem } from '@hortus/contract/resources/templates';
import { families, kingdoms, term } from './vocabulary.ts';

/** Builds the tree of published species. All kingdoms are included; families only if they have a species. */
export function taxonomyTree(items: readonly TemplateItem[]): TaxonomyTree {
  const ids = new Set([...Object.keys(kingdoms), ...items.map((item) => item.taxonomy.kingdom)]);
  return {
    kingdoms: [...ids].map((id) =>
      kingdomNode(
        id,
        items.filter((item) => item.taxonomy.kingdom === id),
      ),
    ),
  };
}

function kingdomNode(id: string, items: readonly TemplateItem[]): TaxonomyTree['kingdoms'][number] {
  const nodes = [...new Set(items.map((item) => item.family))].sort().map((family) =>
    familyNode(
      family,
      id,
      items.filter((item) => item.family === family),
    ),
  );
  return { id, ...term(kingdoms, id), family_count: nodes.length, species_count: items.length, families: nodes };
}

function familyNode(id: string, kingdom: string, items: readonly TemplateItem[]): FamilyDetail {
  return { id, ...term(families, id), kingdom, species_count: items.length, species: items.map(speciesNode) };
}

export const speciesNode = (item: TemplateItem): Species => ({
  id: item.species,
  name: item.name,
  description: item.description,
  kingdom: item.taxonomy.kingdom,
  family: item.family,
  template_id: item.id,
  version: item.version,
});

export const allFamilies = (tree: TaxonomyTree): FamilyDetail[] => tree.kingdoms.flatMap((kingdom) => kingdom.families);

const withoutSpecies = ({ species: _, ...family }: FamilyDetail): Family => family;

export const kingdomDetail = (node: TaxonomyTree['kingdoms'][number]): KingdomDetail => ({
  ...node,
  families: node.families.map(withoutSpecies),
});

export const withoutFamilies = ({ families: _, ...kingdom }: TaxonomyTree['kingdoms'][number]): Kingdom => kingdom;
