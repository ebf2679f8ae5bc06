import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';

/**
 * The published interface shows a spec in two forms that differ in the type of `image`. Both are projections of the
 * canonical spec, which each carries whole. Elements are left open: the template format is their one definition.
 */
const open = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const canonical = open('The whole spec in canonical form, the one that spec_hash is the digest of.');

export const ImageVariant = Type.Object(
  {
    id: Type.String({ examples: ['alpine'] }),
    tag: Type.String({ examples: ['4.2.1-alpine'] }),
    default: Type.Boolean({ description: 'Taken when a definition names no variant.' }),
  },
  { title: 'ImageVariant' },
);
export type ImageVariant = Static<typeof ImageVariant>;

const SpecInput = Type.Object(
  {
    name: Type.String({ examples: ['WEB_HOSTNAME'] }),
    type: Type.String({ examples: ['domain'] }),
    required: Type.Boolean(),
    label: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    default: Type.Optional(Type.Unknown({ description: 'Never given for a password.' })),
  },
  { title: 'SpecInput' },
);

export const SpecBySpecies = Type.Object(
  {
    image: Type.String({ description: 'Reference of the main image.', examples: ['docker.io/library/nginx:1.29'] }),
    inputs: Type.Object({ required: Type.Array(SpecInput), optional: Type.Array(SpecInput) }),
    secrets: open('Secrets by name: how each is generated, never a value.'),
    routes: Type.Array(open('One address under which it is reached.')),
    healthcheck: open('How the main component is probed; empty when it is not.'),
    storage: Type.Array(open('One volume.')),
    canonical,
  },
  { title: 'SpecBySpecies', description: 'The form answered for a species in the path.' },
);
export type SpecBySpecies = Static<typeof SpecBySpecies>;

export const SpecById = Type.Object(
  {
    image: Type.Object({
      repository: Type.String({ examples: ['docker.io/library/nginx'] }),
      tag: Type.String({ description: 'That of the default variant; latest where the template names none.' }),
      digest: nullable(Type.String(), { description: 'Counts before the tag; null where the image is not pinned.' }),
      variants: Type.Array(ImageVariant),
    }),
    user_inputs: Type.Record(
      Type.String(),
      Type.Object({ type: Type.String({ examples: ['string', 'password'] }), required: Type.Boolean() }),
      { description: 'Inputs by name.' },
    ),
    profiles: Type.Array(Type.String({ examples: ['minimal', 'development', 'production'] })),
    ports: Type.Array(Type.Object({ container_port: Type.Integer() })),
    volumes: Type.Array(Type.Object({ mount_path: Type.String() })),
    canonical,
  },
  { title: 'SpecById', description: 'The form answered for a template id in the path.' },
);
export type SpecById = Static<typeof SpecById>;
