import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, nullable, text } from '../fields.ts';
import { templateMachine } from '../machines/template.ts';
import { SpecById, SpecBySpecies } from './template-spec-shapes.ts';

export const archetypes = ['application', 'asset', 'network_appliance', 'multi_component_saas', 'worker'] as const;

export const TemplateTaxonomy = Type.Object(
  {
    kingdom: Type.String({ description: 'The conceptual layer.', examples: ['applications'] }),
    family: Type.String({ description: 'What it does: the shelf it stands on.', examples: ['blog'] }),
    species: Type.String({ description: 'The technology; also the slug of the template.', examples: ['inkwell'] }),
    variant: nullable(Type.String(), { description: 'Id of the default image variant, if the template has variants.' }),
    specimen: nullable(Type.String(), { description: 'Kept for clients of the older form.' }),
    tags: Type.Array(Type.String()),
  },
  { title: 'TemplateTaxonomy' },
);

export const TemplateItem = Type.Object(
  {
    id: id('template', { description: 'Names one species at one version; what it names never changes.' }),
    species: Type.String({ examples: ['inkwell'] }),
    slug: Type.String({ description: 'The same as species.', examples: ['inkwell'] }),
    name: Type.String({ examples: ['Inkwell'] }),
    description: Type.String(),
    archetype: choice(archetypes, { description: 'How it behaves technically; family says what it does.' }),
    family: Type.String({ examples: ['blog'] }),
    version: Type.String({ description: 'Version of the template.', examples: ['1.2.0'] }),
    app_version: nullable(Type.String(), { description: 'Version of the application inside.', examples: ['4.2.1'] }),
    taxonomy: TemplateTaxonomy,
    spec_hash: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description: 'Digest of the canonical spec. The same in definitions, plans and container labels.',
    }),
    status: choice(templateMachine.states),
    deprecated: Type.Boolean({ description: 'Still works, but nothing new should be built from it.' }),
    featured: Type.Boolean(),
    author: nullable(Type.String(), { description: 'Whose recipe it was; null for those that come with Hortus.' }),
    created_at: Timestamp,
    mark_url: Type.String({
      description: 'Where its mark is, below the address of the service.',
      examples: ['/api/v1/templates/inkwell/mark.svg'],
    }),
  },
  { title: 'TemplateItem' },
);
export type TemplateItem = Static<typeof TemplateItem>;

export const Template = Type.Object(
  { ...TemplateItem.properties, spec: Type.Union([SpecBySpecies, SpecById]) },
  { title: 'Template' },
);
export type Template = Static<typeof Template>;

export const templateEndpoints = {
  'templates.list': endpoint({
    method: 'GET',
    path: '/templates',
    tag: 'templates',
    summary: 'List the published templates',
    description: 'Shows the newest published version of each species, unless every version is asked for.',
    permission: 'templates:read',
    hot: true,
    query: Type.Object({
      kingdom: Type.Optional(text(64, { description: 'Only of this kingdom.' })),
      family: Type.Optional(text(64, { description: 'Only of this family.' })),
      species: Type.Optional(text(64, { description: 'Only this species.' })),
      q: Type.Optional(
        text(100, {
          description:
            'Only what these words are found in: name, species, tags, family or description. Beginnings of words count, and one slip in a longer word is forgiven. The best match comes first.',
        }),
      ),
      versions: Type.Optional(choice(['newest', 'all'], { default: 'newest', description: 'Which versions to show.' })),
      ...paging,
    }),
    response: list(TemplateItem),
  }),
  'templates.featured': endpoint({
    method: 'GET',
    path: '/templates/featured',
    tag: 'templates',
    summary: 'List the featured templates',
    permission: 'templates:read',
    hot: true,
    query: Type.Object({ ...paging }),
    response: list(TemplateItem),
  }),
  'templates.upcoming': endpoint({
    method: 'GET',
    path: '/templates/upcoming',
    tag: 'templates',
    summary: 'List the templates that are being made',
    description: 'A preview: drafts and validated templates. They cannot be deployed before they are published.',
    permission: 'templates:read',
    hot: true,
    query: Type.Object({ ...paging }),
    response: list(TemplateItem),
  }),
  'templates.read': endpoint({
    method: 'GET',
    path: '/templates/{species}',
    tag: 'templates',
    summary: 'Read a template with its spec',
    description:
      'A species means its newest published version and answers the spec by species; an id means exactly that version and answers the spec by id. May be cached for 60 seconds; a unique query string forces a fresh answer.',
    permission: 'templates:read',
    hot: true,
    params: Type.Object({ species: givenId('A species (its slug) or a template id.') }),
    query: Type.Object({
      shape: Type.Optional(
        choice(['species', 'id'], {
          description: 'Which of the two forms of spec to answer, whatever the path names.',
        }),
      ),
    }),
    response: answer(Template),
  }),
  'templates.mark': endpoint({
    method: 'GET',
    path: '/templates/{species}/mark.svg',
    tag: 'templates',
    summary: 'Get the mark of a species as SVG',
    description:
      'A plant that only this species has, in the hue of its family: the same at every time. Needs no key and may be kept for a day. It has neither script nor style.',
    permission: 'public',
    media: 'image/svg+xml',
    params: Type.Object({ species: givenId('A species (its slug) or a template id.') }),
    query: Type.Object({
      size: Type.Optional(
        Type.Integer({
          minimum: 16,
          maximum: 1024,
          default: 96,
          description: 'Width and height in pixels. Below 40 it is drawn with fewer and bolder parts.',
        }),
      ),
      family: Type.Optional(
        text(64, { description: 'For a template of your own, which only you can look up: the family to draw it in.' }),
      ),
      theme: Type.Optional(
        choice(['any', 'light', 'dark'], {
          default: 'any',
          description: 'The ground it stands on, where that is known.',
        }),
      ),
    }),
    response: Type.String({ description: 'An SVG document.' }),
  }),
};
