import Type, { type Static } from 'typebox';
import { Action, Backup, SmokeTest } from './actions.ts';
import { Component, runKeys } from './component.ts';
import { Permission } from './host-access.ts';
import { Image } from './image.ts';
import { Inputs } from './inputs.ts';
import { Need, Provision } from './matching.ts';
import { Duration, Line, mapOf, Slug, strict, Text } from './notation.ts';
import { Route } from './routes.ts';
import { Secrets } from './secrets.ts';

export const ARCHETYPES = ['application', 'asset', 'network_appliance', 'multi_component_saas', 'worker'] as const;

/** Always there, declared or not; a definition that names none gets `development`. */
export const STANDARD_PROFILES = ['minimal', 'development', 'production'] as const;

/** Paths of the API that a species would hide. */
export const RESERVED_SLUGS = ['featured', 'upcoming', 'import'] as const;

const Taxonomy = strict(
  {
    kingdom: Type.String({
      pattern: '^[a-z0-9_-]+$',
      description: 'The conceptual layer: infrastructure, data, applications or assets.',
      examples: ['infrastructure', 'data', 'applications', 'assets'],
    }),
    family: Type.String({
      pattern: '^[a-z0-9_-]+$',
      description: 'What the application does: database, blog, cache.',
      examples: ['database', 'blog', 'cache', 'monitoring'],
    }),
    tags: Type.Optional(
      Type.Array(Slug('A word to search by.'), { default: [], maxItems: 30, description: 'Words to search by.' }),
    ),
  },
  { description: 'Where the species stands in the catalog.' },
);

/** A profile is checked by applying it, so that a patch may hold any part of what it changes. */
const Profile = mapOf(
  Type.String(),
  Type.Unknown({ description: 'What the profile puts in place of this; null removes it.' }),
  {
    description:
      'A JSON merge patch (RFC 7396) over image, vars, routes, components, backup, smoke, notes and deadline.',
  },
);

const SemanticVersion = Type.String({
  pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$',
  description: 'Version of the template itself, as semantic versioning has it.',
  examples: ['1.0.0'],
});

const templateKeys = {
  slug: Slug('The species, and the name of its folder.'),
  name: Line('What a person sees.'),
  description: Type.Optional(
    Type.String({ maxLength: 4000, default: '', description: 'What it is for, in a sentence or two.' }),
  ),
  version: SemanticVersion,
  app_version: Type.Optional(Line('Version of the application.')),
  archetype: Type.Enum(ARCHETYPES, { description: 'How it behaves technically.' }),
  taxonomy: Taxonomy,
  links: Type.Optional(
    mapOf(
      Type.String({ pattern: '^[a-z_]+$' }),
      Type.String({ pattern: '^https?://', description: 'An address.', examples: ['https://example.org/docs'] }),
      {
        default: {},
        description: 'website, documentation, source and the like.',
      },
    ),
  ),
  icon: Type.Optional(Line('A file of the template’s folder, or an https address.')),
  notes: Type.Optional(Text('Markdown shown after deploy; ${…} is filled.')),
  featured: Type.Optional(Type.Boolean({ default: false, description: 'Shown first in the catalog.' })),
  deprecated: Type.Optional(
    Type.Boolean({ default: false, description: 'Still works, but nothing new should be made from it.' }),
  ),
  unverified: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'The tags could not be pulled when this was written; the first deployment checks them.',
    }),
  ),
  deadline: Type.Optional(Duration('How long a deployment may go without progress.', '10m')),
  image: Type.Optional(Image),
  inputs: Type.Optional(Inputs),
  secrets: Type.Optional(Secrets),
  vars: Type.Optional(
    mapOf(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]*$' }), Text('A text with a name.'), {
      default: {},
      maxProperties: 500,
      description: 'Texts used in several places, as ${vars.<name>}.',
    }),
  ),
  routes: Type.Optional(
    Type.Array(Route, { default: [], maxItems: 50, description: 'The ways in from outside, through the ingress.' }),
  ),
  components: Type.Optional(
    mapOf(Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }), Component, {
      minProperties: 1,
      maxProperties: 200,
      description: 'The containers, by name. A template with one may describe it at its top level instead.',
    }),
  ),
  profiles: Type.Optional(
    mapOf(Type.String({ pattern: '^[a-z][a-z0-9_-]*$' }), Profile, {
      default: {},
      maxProperties: 50,
      description: 'What changes with the profile; minimal, development and production always exist.',
    }),
  ),
  needs: Type.Optional(
    Type.Array(Need, { default: [], maxItems: 20, description: 'Other instances that this one uses.' }),
  ),
  provides: Type.Optional(
    Type.Array(Provision, { default: [], maxItems: 20, description: 'What it offers to other instances.' }),
  ),
  permissions: Type.Optional(
    Type.Array(Permission, {
      default: [],
      maxItems: 100,
      description: 'What of the server it uses beyond an ordinary container; a person is asked before.',
    }),
  ),
  actions: Type.Optional(
    Type.Array(Action, { default: [], maxItems: 100, description: 'What can be done on a running instance.' }),
  ),
  backup: Type.Optional(Backup),
  smoke: Type.Optional(Type.Array(SmokeTest, { default: [], maxItems: 20, description: 'The deploy test.' })),
};

export const Template = strict(
  {
    $schema: Type.Optional(Type.String({ description: 'Where editors find this schema.' })),
    ...templateKeys,
    ...runKeys,
  },
  {
    $id: 'urn:hortus:template',
    title: 'Hortus template',
    description: 'A deployable species: what runs, what is asked, what can be done with it.',
    patternProperties: { '^x-': { description: 'For yourself: left out of what is deployed.' } },
  },
);

/** The form that is hashed: every container under `components`, every default written out. */
export const CanonicalTemplate = strict(templateKeys, {
  $id: 'urn:hortus:canonical-template',
  title: 'Hortus template, canonical form',
});

export type Template = Static<typeof Template>;
export type Archetype = (typeof ARCHETYPES)[number];
