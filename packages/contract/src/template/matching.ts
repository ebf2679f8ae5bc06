import Type, { type Static } from 'typebox';
import { mapOf, strict, Text } from './notation.ts';

const Class = Type.String({
  pattern: '^[a-z0-9_]+(\\.[a-z0-9_-]+)+$',
  maxLength: 100,
  description: 'What is needed or provided, from general to special: database.postgres, cache.redis, http.blog.',
  examples: ['database.postgres', 'cache.redis'],
});

export const Need = strict(
  {
    class: Class,
    as: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]*$',
        description: 'Its name in ${needs.<as>.…}; the last part of the class unless said.',
      }),
    ),
    optional: Type.Optional(Type.Boolean({ default: false, description: 'It works without, only less.' })),
  },
  { description: 'Another instance that this one uses.' },
);

export const Provision = strict(
  {
    class: Class,
    attributes: Type.Optional(
      mapOf(
        Type.String({ pattern: '^[a-z][a-z0-9_]*$' }),
        Text('What the one in need gets as ${needs.<as>.<attribute>}.'),
        { default: {}, description: 'How it is reached and signed in to.' },
      ),
    ),
  },
  { description: 'What this template offers to others, and how to reach it.' },
);

export type Need = Static<typeof Need>;
export type Provision = Static<typeof Provision>;
