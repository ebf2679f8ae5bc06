import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging } from '../envelope.ts';
import { nullable, text } from '../records/fields.ts';
import { TemplateItem } from './templates.ts';

export const Category = Type.Object(
  {
    family: Type.String({ description: 'Id of the family; usable as a filter.', examples: ['blog'] }),
    name: Type.String({ examples: ['Blogs'] }),
    description: Type.String(),
    kingdom: Type.String({ examples: ['applications'] }),
    count: Type.Integer({ description: 'Number of published species in this family.' }),
  },
  { title: 'Category' },
);
export type Category = Static<typeof Category>;

const { id, species, name, description, family, version, app_version, featured, deprecated } = TemplateItem.properties;

export const ShelfItem = Type.Object(
  {
    ...{ id, species, name, description, family, version, app_version, featured, deprecated },
    kingdom: Type.String({ examples: ['applications'] }),
    tags: Type.Array(Type.String()),
    memory_bytes: nullable(Type.Integer({ minimum: 0 }), {
      description: 'Memory limits of its services in the profile minimal; null if the template does not say.',
    }),
    own: Type.Boolean({ description: 'Whether it is a template of the account.' }),
    logo_url: nullable(Type.String(), { description: 'Path of the logo of the project, if its licence allows one.' }),
  },
  { title: 'ShelfItem', description: 'A species as the catalog shows it.' },
);
export type ShelfItem = Static<typeof ShelfItem>;

export const CatalogShelf = Type.Object(
  {
    families: Type.Array(Category, { description: 'In the order of kingdoms and families; only those with species.' }),
    species: Type.Array(ShelfItem, { description: 'The newest published version of each species, by name.' }),
  },
  { title: 'CatalogShelf' },
);
export type CatalogShelf = Static<typeof CatalogShelf>;

export const catalogEndpoints = {
  'catalog.shelf': endpoint({
    method: 'GET',
    path: '/catalog/shelf',
    tag: 'catalog',
    summary: 'Read the whole catalog in one answer',
    description: 'For pages that search and group by themselves. Includes the published templates of the account.',
    permission: 'templates:read',
    hot: true,
    response: envelope(CatalogShelf),
  }),
  'catalog.list': endpoint({
    method: 'GET',
    path: '/catalog',
    tag: 'catalog',
    summary: 'List the catalog by family',
    description: 'The newest published version of each species, ordered by family and name.',
    permission: 'templates:read',
    hot: true,
    query: Type.Object({ family: Type.Optional(text(64, { description: 'Only this family.' })), ...paging }),
    response: list(TemplateItem),
  }),
  'catalog.categories': endpoint({
    method: 'GET',
    path: '/catalog/categories',
    tag: 'catalog',
    summary: 'List the families of the catalog',
    permission: 'templates:read',
    hot: true,
    query: Type.Object({ ...paging }),
    response: list(Category),
  }),
};
