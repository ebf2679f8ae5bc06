import Type, { type Static } from 'typebox';
import { mapOf, strict, Text } from './notation.ts';

export const NeedClass = Type.String({
  pattern: '^[a-z0-9_]+(\\.[a-z0-9_-]+)+$',
  maxLength: 100,
  description: 'Class of the need or provision, from general to specific: database.postgres, cache.redis, http.blog.',
  examples: ['database.postgres', 'cache.redis'],
});

export const Need = strict(
  {
    class: NeedClass,
    as: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]*$',
        description: 'Name in ${needs.<as>.…}; by default the last part of the class.',
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the instance also works without it.' }),
    ),
  },
  { description: 'Another instance that the instance uses.' },
);

export const Provision = strict(
  {
    class: NeedClass,
    attributes: Type.Optional(
      mapOf(
        Type.String({ pattern: '^[a-z][a-z0-9_]*$' }),
        Text('Value of ${needs.<as>.<attribute>} in the dependent instance.'),
        { default: {}, description: 'Address and credentials.' },
      ),
    ),
  },
  { description: 'A service that the template provides to others, and how to connect to it.' },
);

export type Need = Static<typeof Need>;
export type Provision = Static<typeof Provision>;
