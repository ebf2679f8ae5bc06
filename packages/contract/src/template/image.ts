import Type, { type Static } from 'typebox';
import { Slug, strict } from './notation.ts';

const Repository = Type.String({
  pattern: '^[a-z0-9]([a-z0-9._:/-]*[a-z0-9])?$',
  maxLength: 255,
  description: 'Registry and path without a tag, such as docker.io/library/postgres.',
  examples: ['docker.io/library/postgres'],
});
const Tag = Type.String({
  pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$',
  description:
    'An image tag with the whole version. A floating tag (latest, or none) is a warning, and an error at promotion; an incomplete version (17, 10.11) is a warning unless a digest pins it.',
  examples: ['17.5', '4.2.1-alpine'],
});
const Digest = Type.String({
  pattern: '^sha256:[0-9a-f]{64}$',
  description:
    'Pins the exact image, even if the tag moves. It should be the digest of an index, which has an image for each architecture.',
});

const Held = strict(
  {
    at: Type.Optional(
      Type.String({
        pattern: '^[0-9]+(\\.[0-9]+)*$',
        maxLength: 40,
        description: 'Line that is followed, such as 17 or 10.11; without it the tag itself is kept.',
      }),
    ),
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'Why no newer version is used, for people.' }),
  },
  { description: 'Says that an older version is used on purpose; catalog:freshness then reports the reason.' },
);

export const Variant = strict(
  {
    id: Slug('Name by which a definition selects the variant.'),
    tag: Tag,
    digest: Type.Optional(Digest),
    held: Type.Optional(Held),
    default: Type.Optional(Type.Boolean({ default: false, description: 'Exactly one variant is the default.' })),
    description: Type.Optional(Type.String({ maxLength: 500, description: 'How it differs from the other variants.' })),
  },
  { description: 'Another build of the same image, with its own tag.' },
);

export const Image = strict(
  {
    repository: Repository,
    tag: Type.Optional(Tag),
    digest: Type.Optional(Digest),
    held: Type.Optional(Held),
    variants: Type.Optional(
      Type.Array(Variant, { default: [], maxItems: 50, description: 'Other builds of the image.' }),
    ),
  },
  { description: 'The image of the template; components refer to it as ${template.image}.' },
);

export const ImageReference = strict(
  {
    repository: Repository,
    tag: Type.Optional(Tag),
    digest: Type.Optional(Digest),
    held: Type.Optional(Held),
  },
  { description: 'The image of one component.' },
);

export const ComponentImage = Type.Union(
  [
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: '${template.image}, or a reference repository:tag@digest.',
    }),
    ImageReference,
  ],
  { description: 'Image of the component.' },
);

export type Held = Static<typeof Held>;
export type Variant = Static<typeof Variant>;
export type Image = Static<typeof Image>;
export type ImageReference = Static<typeof ImageReference>;
