import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging } from '../envelope.ts';
import { id, idParam } from '../records/fields.ts';
import { ImageVariant } from './template-spec-shapes.ts';

/** Taxonomy ids are slugs. Each level names its parent; reads include the children. */
const named = {
  id: Type.String({ description: 'A slug.', examples: ['blog'] }),
  name: Type.String({ examples: ['Blogs'] }),
  description: Type.String(),
};

export const Species = Type.Object(
  {
    ...named,
    kingdom: Type.String(),
    family: Type.String(),
    template_id: id('template', { description: 'The newest published version.' }),
    version: Type.String(),
  },
  { title: 'Species' },
);
export type Species = Static<typeof Species>;

const SpeciesDetail = Type.Object(
  { ...Species.properties, variants: Type.Array(ImageVariant) },
  { title: 'SpeciesDetail' },
);

const speciesCount = Type.Integer({ description: 'Number of published species.' });

export const Family = Type.Object(
  { ...named, kingdom: Type.String({ examples: ['applications'] }), species_count: speciesCount },
  { title: 'Family' },
);
export type Family = Static<typeof Family>;

export const FamilyDetail = Type.Object(
  { ...Family.properties, species: Type.Array(Species) },
  { title: 'FamilyDetail' },
);
export type FamilyDetail = Static<typeof FamilyDetail>;

export const Kingdom = Type.Object(
  { ...named, family_count: Type.Integer(), species_count: speciesCount },
  { title: 'Kingdom' },
);
export type Kingdom = Static<typeof Kingdom>;

export const KingdomDetail = Type.Object(
  { ...Kingdom.properties, families: Type.Array(Family) },
  { title: 'KingdomDetail' },
);
export type KingdomDetail = Static<typeof KingdomDetail>;

export const TaxonomyTree = Type.Object(
  { kingdoms: Type.Array(Type.Object({ ...Kingdom.properties, families: Type.Array(FamilyDetail) })) },
  { title: 'TaxonomyTree' },
);
export type TaxonomyTree = Static<typeof TaxonomyTree>;

export const taxonomyEndpoints = {
  'taxonomy.tree': endpoint({
    method: 'GET',
    path: '/taxonomy/tree',
    tag: 'taxonomy',
    summary: 'Read the whole tree of kingdoms, families and species',
    permission: 'templates:read',
    hot: true,
    response: envelope(TaxonomyTree),
  }),
  'taxonomy.kingdoms': endpoint({
    method: 'GET',
    path: '/taxonomy/kingdoms',
    tag: 'taxonomy',
    summary: 'List the kingdoms',
    permission: 'templates:read',
    hot: true,
    query: Type.Object({ ...paging }),
    response: list(Kingdom),
  }),
  'taxonomy.kingdom': endpoint({
    method: 'GET',
    path: '/taxonomy/kingdoms/{kingdom_id}',
    tag: 'taxonomy',
    summary: 'Read a kingdom with its families',
    permission: 'templates:read',
    hot: true,
    params: Type.Object({ kingdom_id: idParam('Slug of a kingdom.') }),
    response: envelope(KingdomDetail),
  }),
  'taxonomy.family': endpoint({
    method: 'GET',
    path: '/taxonomy/families/{family_id}',
    tag: 'taxonomy',
    summary: 'Read a family with its species',
    permission: 'templates:read',
    hot: true,
    params: Type.Object({ family_id: idParam('Slug of a family.') }),
    response: envelope(FamilyDetail),
  }),
  'taxonomy.species': endpoint({
    method: 'GET',
    path: '/taxonomy/species/{species_id}',
    tag: 'taxonomy',
    summary: 'Read a species with its image variants',
    permission: 'templates:read',
    hot: true,
    params: Type.Object({ species_id: idParam('Slug of a species.') }),
    response: envelope(SpeciesDetail),
  }),
};
