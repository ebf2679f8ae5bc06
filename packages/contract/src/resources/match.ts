import Type from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { TemplateItem } from './templates.ts';

const Class = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[a-z0-9_]+(\\.[a-z0-9_-]+)*$',
  description:
    'Class of the need, from general to specific. A general class is satisfied by each of its specific classes.',
  examples: ['database.postgres', 'cache', 'http.blog'],
});

const Need = Type.Object({ class: Class }, { title: 'Need', additionalProperties: false });

const classes = (description: string) => Type.Array(Type.String({ examples: ['database.postgres'] }), { description });

const MatchedTemplate = Type.Object(
  {
    ...TemplateItem.properties,
    provides: classes('Provided classes that satisfy the need.'),
    needs: classes('Needs of the template that neither it nor the other needs of the request satisfy.'),
  },
  { title: 'MatchedTemplate' },
);

const Match = Type.Object(
  {
    matches: Type.Array(
      Type.Object({
        need: Type.Object({ class: Type.String() }),
        templates: Type.Array(MatchedTemplate, { description: 'Best first; empty if no template satisfies the need.' }),
      }),
      { description: 'One entry for each need, in the order of the request.' },
    ),
    unmet: classes('Needs that no template satisfies.'),
    best: Type.Array(Type.Object({ ...TemplateItem.properties, covers: classes('Needs that it satisfies.') }), {
      description: 'Smallest set of templates that together satisfies every need that can be satisfied.',
    }),
  },
  { title: 'Match' },
);

export const matchEndpoints = {
  'match.find': endpoint({
    method: 'POST',
    path: '/match',
    tag: 'match',
    summary: 'Find templates that satisfy needs',
    description:
      'Ranks the templates that provide each class: exact matches before more specific ones, templates without further needs before those with needs. Changes nothing.',
    permission: 'templates:read',
    body: Type.Object(
      { needs: Type.Array(Need, { minItems: 1, maxItems: 16 }) },
      {
        additionalProperties: false,
        examples: [{ needs: [{ class: 'database.postgres' }, { class: 'cache.redis' }] }],
      },
    ),
    response: envelope(Match),
  }),
};
