import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { list, paging } from '../envelope.ts';
import { text } from '../fields.ts';
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

export const catalogEndpoints = {
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
