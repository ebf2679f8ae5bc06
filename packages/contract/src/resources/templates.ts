import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { templateMachine } from '../machines/template.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';
import { SpecById, SpecBySpecies } from './template-spec-shapes.ts';
import { Change } from './upgrades.ts';

const archetypes = ['application', 'asset', 'network_appliance', 'multi_component_saas', 'worker'] as const;

const TemplateTaxonomy = Type.Object(
  {
    kingdom: Type.String({ description: 'The conceptual layer.', examples: ['applications'] }),
    family: Type.String({ description: 'Functional category.', examples: ['blog'] }),
    species: Type.String({ description: 'The technology; also the slug of the template.', examples: ['inkwell'] }),
    variant: nullable(Type.String(), { description: 'Id of the default image variant, if the template has variants.' }),
    specimen: nullable(Type.String(), { description: 'Kept for clients of the older form.' }),
    tags: Type.Array(Type.String()),
  },
  { title: 'TemplateTaxonomy' },
);

export const TemplateItem = Type.Object(
  {
    id: id('template', { description: 'Identifies one species at one version. Immutable.' }),
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
    deprecated: Type.Boolean({ description: 'Still works, but should not be used for new definitions.' }),
    featured: Type.Boolean(),
    verified: nullable(
      Type.Object({
        at: Timestamp,
        digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'Digest of its image in that run.' }),
      }),
      {
        description:
          'When this version was last run as a whole by hortus template verify: deployed, tested, backed up, lost, restored and deployed again. Null if it never was.',
      },
    ),
    author: nullable(Type.String(), { description: 'Author of its recipe; null for templates that ship with Hortus.' }),
    created_at: Timestamp,
    mark_url: Type.String({
      description: 'Path of its icon, relative to the address of the service.',
      examples: ['/api/v1/templates/inkwell/mark.svg'],
    }),
    logo: nullable(
      Type.Object({
        url: Type.String({
          description: 'Path of the drawing, relative to the address of the service.',
          examples: ['/api/v1/templates/inkwell/logo.svg'],
        }),
        license: Type.String({ description: 'SPDX identifier of its licence.', examples: ['CC-BY-SA-4.0'] }),
        source: Type.String({ description: 'Where it was published.', examples: ['https://inkwell.example.org/logo'] }),
        author: Type.String({ description: 'Its copyright holder.', examples: ['The Inkwell authors'] }),
      }),
      {
        description:
          'Logo of the project. Null if its licence does not allow one, and for templates of accounts and authors.',
      },
    ),
  },
  { title: 'TemplateItem' },
);
export type TemplateItem = Static<typeof TemplateItem>;

export const Template = Type.Object(
  { ...TemplateItem.properties, spec: Type.Union([SpecBySpecies, SpecById]) },
  { title: 'Template' },
);
export type Template = Static<typeof Template>;

const { id: templateId, version, app_version, deprecated, created_at } = TemplateItem.properties;

export const TemplateVersion = Type.Object(
  {
    ...{ id: templateId, version, app_version, deprecated, created_at },
    changes: Type.Array(Change, {
      description: 'Changes since the previous version, in the profile development. Empty for the first.',
    }),
  },
  { title: 'TemplateVersion' },
);
export type TemplateVersion = Static<typeof TemplateVersion>;

export const templateEndpoints = {
  'templates.list': endpoint({
    method: 'GET',
    path: '/templates',
    tag: 'templates',
    summary: 'List the published templates',
    description: 'Shows the newest published version of each species, or all versions if requested.',
    permission: 'templates:read',
    hot: true,
    query: Type.Object({
      kingdom: Type.Optional(text(64, { description: 'Only of this kingdom.' })),
      family: Type.Optional(text(64, { description: 'Only of this family.' })),
      species: Type.Optional(text(64, { description: 'Only this species.' })),
      q: Type.Optional(
        text(100, {
          description:
            'Full-text search in name, species, tags, family and description. Matches prefixes and tolerates one typing error in longer words. Best match first.',
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
    summary: 'List the upcoming templates',
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
      'A species returns its newest published version in the form by species; an id returns exactly that version in the form by id. Cacheable for 60 seconds; a unique query string forces a refresh.',
    permission: 'templates:read',
    hot: true,
    params: Type.Object({ species: idParam('A species (its slug) or a template id.') }),
    query: Type.Object({
      shape: Type.Optional(
        choice(['species', 'id'], {
          description: 'Form of the spec, regardless of the path.',
        }),
      ),
    }),
    response: envelope(Template),
  }),
  'templates.versions': endpoint({
    method: 'GET',
    path: '/templates/{species}/versions',
    tag: 'templates',
    summary: 'List the published versions of a species with what changed, newest first',
    permission: 'templates:read',
    hot: true,
    params: Type.Object({ species: idParam('A species (its slug).') }),
    query: Type.Object({ ...paging }),
    response: list(TemplateVersion),
  }),
  'templates.mark': endpoint({
    method: 'GET',
    path: '/templates/{species}/mark.svg',
    tag: 'templates',
    summary: 'Get the icon of a species as SVG',
    description:
      'A generated drawing of a plant, unique to the species and coloured by its family. Deterministic, without scripts or styles. Needs no key; cacheable for a day.',
    permission: 'public',
    media: 'image/svg+xml',
    params: Type.Object({ species: idParam('A species (its slug) or a template id.') }),
    query: Type.Object({
      size: Type.Optional(
        Type.Integer({
          minimum: 16,
          maximum: 1024,
          default: 96,
          description: 'Width and height in pixels. Below 40 the drawing is simplified.',
        }),
      ),
      family: Type.Optional(
        text(64, { description: 'Family of a private template, which this public endpoint cannot look up.' }),
      ),
      theme: Type.Optional(
        choice(['any', 'light', 'dark'], {
          default: 'any',
          description: 'Background for which it is drawn.',
        }),
      ),
    }),
    response: Type.String({ description: 'An SVG document.' }),
  }),
  'templates.logo': endpoint({
    method: 'GET',
    path: '/templates/{species}/logo.svg',
    tag: 'templates',
    summary: 'Get the logo of a project as SVG',
    description:
      'Only shapes and colours: no scripts, styles, links or references. The template names its licence and source. 404 for species without a logo. Needs no key; cacheable for a day.',
    permission: 'public',
    media: 'image/svg+xml',
    params: Type.Object({ species: idParam('A species (its slug) or a template id.') }),
    response: Type.String({ description: 'An SVG document.' }),
  }),
};
