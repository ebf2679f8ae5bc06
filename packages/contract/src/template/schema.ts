import Type, { type Static } from 'typebox';
import { Action, Backup, SmokeTest } from './actions.ts';
import { Component, runKeys } from './component.ts';
import { Permission } from './host-access.ts';
import { Image } from './image.ts';
import { Inputs } from './inputs.ts';
import { Need, Provision } from './matching.ts';
import { Duration, Line, mapOf, SemanticVersion, Slug, strict, Text } from './notation.ts';
import { Route } from './routes.ts';
import { Secrets } from './secrets.ts';
import { UpgradeRules } from './upgrade.ts';

export const ARCHETYPES = ['application', 'asset', 'network_appliance', 'multi_component_saas', 'worker'] as const;

/** These profiles always exist, declared or not; a definition without a profile uses `development`. */
export const STANDARD_PROFILES = ['minimal', 'development', 'production'] as const;

/** Slugs that would collide with paths of the API. */
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
      Type.Array(Slug('A search term.'), { default: [], maxItems: 30, description: 'Search terms.' }),
    ),
  },
  { description: 'Place of the species in the catalog.' },
);

/** A profile is validated by applying it, so a patch may contain any part of what it changes. */
const Profile = mapOf(
  Type.String(),
  Type.Unknown({ description: 'New value in the profile; null removes the value.' }),
  {
    description:
      'A JSON merge patch (RFC 7396) over image, vars, routes, components, backup, smoke, notes and deadline.',
  },
);

const templateKeys = {
  slug: Slug('The species, and the name of its folder.'),
  name: Line('Display name.'),
  description: Type.Optional(
    Type.String({ maxLength: 4000, default: '', description: 'Purpose, in a sentence or two.' }),
  ),
  version: SemanticVersion('Version of the template itself, as a semantic version.'),
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
  icon: Type.Optional(
    Line('Address of a logo, for other programs; the catalog shows icon.svg of the template’s folder.'),
  ),
  notes: Type.Optional(Text('Markdown shown after deploy; ${…} is filled.')),
  featured: Type.Optional(Type.Boolean({ default: false, description: 'Shown first in the catalog.' })),
  deprecated: Type.Optional(
    Type.Boolean({ default: false, description: 'Still works, but should not be used for new definitions.' }),
  ),
  unverified: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether the image tags were never pulled; the first deployment checks them.',
    }),
  ),
  deadline: Type.Optional(Duration('Time without progress after which a deployment fails.', '10m')),
  image: Type.Optional(Image),
  inputs: Type.Optional(Inputs),
  secrets: Type.Optional(Secrets),
  vars: Type.Optional(
    mapOf(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]*$' }), Text('A named text.'), {
      default: {},
      maxProperties: 500,
      description: 'Texts used in several places, as ${vars.<name>}.',
    }),
  ),
  routes: Type.Optional(
    Type.Array(Route, { default: [], maxItems: 50, description: 'Public addresses, served by the ingress.' }),
  ),
  components: Type.Optional(
    mapOf(Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }), Component, {
      minProperties: 1,
      maxProperties: 200,
      description: 'Containers by name. A template with a single container may describe it at its top level instead.',
    }),
  ),
  profiles: Type.Optional(
    mapOf(Type.String({ pattern: '^[a-z][a-z0-9_-]*$' }), Profile, {
      default: {},
      maxProperties: 50,
      description: 'Changes for each profile; minimal, development and production always exist.',
    }),
  ),
  needs: Type.Optional(Type.Array(Need, { default: [], maxItems: 20, description: 'Other instances that it uses.' })),
  provides: Type.Optional(
    Type.Array(Provision, { default: [], maxItems: 20, description: 'Services that it provides to other instances.' }),
  ),
  permissions: Type.Optional(
    Type.Array(Permission, {
      default: [],
      maxItems: 100,
      description: 'Access to the server beyond an ordinary container; needs approval before a deployment.',
    }),
  ),
  actions: Type.Optional(
    Type.Array(Action, { default: [], maxItems: 100, description: 'Commands on a running instance.' }),
  ),
  backup: Type.Optional(Backup),
  upgrade: Type.Optional(UpgradeRules),
  smoke: Type.Optional(Type.Array(SmokeTest, { default: [], maxItems: 20, description: 'The deploy test.' })),
};

export const Template = strict(
  {
    $schema: Type.Optional(Type.String({ description: 'Address of this schema, for editors.' })),
    ...templateKeys,
    ...runKeys,
  },
  {
    $id: 'urn:hortus:template',
    title: 'Hortus template',
    description: 'A deployable species: its containers, inputs and actions.',
    patternProperties: { '^x-': { description: 'Private notes, not part of the deployed template.' } },
  },
);

/** The canonical form, which is hashed: every container under `components`, with all defaults. */
export const CanonicalTemplate = strict(templateKeys, {
  $id: 'urn:hortus:canonical-template',
  title: 'Hortus template, canonical form',
});

export type Template = Static<typeof Template>;
export type Archetype = (typeof ARCHETYPES)[number];
