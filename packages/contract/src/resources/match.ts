import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer } from '../envelope.ts';
import { TemplateItem } from './templates.ts';

const Class = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[a-z0-9_]+(\\.[a-z0-9_-]+)*$',
  description: 'What is needed, from general to special. A general class is met by every special one of it.',
  examples: ['database.postgres', 'cache', 'http.blog'],
});

export const Need = Type.Object({ class: Class }, { title: 'Need', additionalProperties: false });

const classes = (description: string) => Type.Array(Type.String({ examples: ['database.postgres'] }), { description });

export const MatchedTemplate = Type.Object(
  {
    ...TemplateItem.properties,
    provides: classes('What it offers that meets the need.'),
    needs: classes('What it needs itself, and neither brings along nor finds among the other needs of the request.'),
  },
  { title: 'MatchedTemplate' },
);
export type MatchedTemplate = Static<typeof MatchedTemplate>;

export const Match = Type.Object(
  {
    matches: Type.Array(
      Type.Object({
        need: Type.Object({ class: Type.String() }),
        templates: Type.Array(MatchedTemplate, { description: 'Best first; empty where nothing meets the need.' }),
      }),
      { description: 'One for each need, in the order they were given.' },
    ),
    unmet: classes('Needs that no template meets.'),
    best: Type.Array(Type.Object({ ...TemplateItem.properties, covers: classes('Which of the needs it meets.') }), {
      description: 'The fewest templates that together meet every need that can be met.',
    }),
  },
  { title: 'Match' },
);
export type Match = Static<typeof Match>;

export const matchEndpoints = {
  'match.find': endpoint({
    method: 'POST',
    path: '/match',
    tag: 'match',
    summary: 'Find templates for what is needed',
    description:
      'Ranks the templates that offer each class: one that offers exactly that before one that offers something more special, one that needs nothing further before one that does. Changes nothing.',
    permission: 'templates:read',
    body: Type.Object(
      { needs: Type.Array(Need, { minItems: 1, maxItems: 16 }) },
      {
        additionalProperties: false,
        examples: [{ needs: [{ class: 'database.postgres' }, { class: 'cache.redis' }] }],
      },
    ),
    response: answer(Match),
  }),
};
