import Type, { type Static } from 'typebox';
import { nullable } from '../records/fields.ts';

/**
 * The published interface shows a spec in two forms that differ in the type of `image`. Both are projections of the
 * canonical spec and contain it. Their elements are not described further here: the template format defines them.
 */
const open = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const canonical = open('The whole spec in canonical form; spec_hash is its digest.');

export const ImageVariant = Type.Object(
  {
    id: Type.String({ examples: ['alpine'] }),
    tag: Type.String({ examples: ['4.2.1-alpine'] }),
    default: Type.Boolean({ description: 'Used if a definition names no variant.' }),
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
    default: Type.Optional(Type.Unknown({ description: 'Never shown for passwords.' })),
  },
  { title: 'SpecInput' },
);

export const SpecBySpecies = Type.Object(
  {
    image: Type.String({ description: 'Reference of the main image.', examples: ['docker.io/library/nginx:1.29'] }),
    inputs: Type.Object({ required: Type.Array(SpecInput), optional: Type.Array(SpecInput) }),
    secrets: open('Secrets by name: how each is generated, without values.'),
    routes: Type.Array(open('One public address.')),
    healthcheck: open('Health check of the main component; empty if it has none.'),
    storage: Type.Array(open('One volume.')),
    canonical,
  },
  { title: 'SpecBySpecies', description: 'The form for a species in the path.' },
);
export type SpecBySpecies = Static<typeof SpecBySpecies>;

export const SpecById = Type.Object(
  {
    image: Type.Object({
      repository: Type.String({ examples: ['docker.io/library/nginx'] }),
      tag: Type.String({ description: 'Tag of the default variant; latest if the template names none.' }),
      digest: nullable(Type.String(), {
        description: 'Takes precedence over the tag; null if the image is not pinned.',
      }),
      variants: Type.Array(ImageVariant),
    }),
    user_inputs: Type.Record(
      Type.String(),
      Type.Object({ type: Type.String({ examples: ['string', 'password'] }), required: Type.Boolean() }),
      { description: 'Inputs by name.' },
    ),
    profiles: Type.Array(Type.String({ examples: ['minimal', 'development', 'production'] })),
    ports: Type.Array(
      Type.Object({
        container_port: Type.Integer(),
        last_port: Type.Optional(Type.Integer({ description: 'Last port of a range.' })),
      }),
    ),
    volumes: Type.Array(Type.Object({ mount_path: Type.String() })),
    canonical,
  },
  { title: 'SpecById', description: 'The form for a template id in the path.' },
);
export type SpecById = Static<typeof SpecById>;
