import Type, { type Static } from 'typebox';
import { mapOf, SemanticVersion, strict, Text } from './notation.ts';

const AppVersion = (description: string) =>
  Type.String({
    pattern: '^[0-9]+(\\.[0-9]+)*$',
    maxLength: 64,
    description: `${description} A shorter number names all its releases: 33 is every 33.x.`,
    examples: ['33', '18.11'],
  });

const Note = strict(
  {
    from: Type.Optional(AppVersion('Only for upgrades from this version of the application or a later one.')),
    to: AppVersion('Shown before an upgrade that reaches or passes this version of the application.'),
    text: Text('What changes, and what to do before or after the upgrade.'),
  },
  { description: 'A note about one version.' },
);

const Stop = strict(
  {
    version: AppVersion('Version of the application that no upgrade may skip.'),
    app_version: Type.Optional(
      Type.String({
        pattern: '^[0-9]+([.+-][0-9A-Za-z.+-]+)?$',
        maxLength: 64,
        description: 'The release to stop at, if version names several.',
        examples: ['33.0.6'],
      }),
    ),
    patch: Type.Optional(
      mapOf(Type.String(), Type.Unknown({ description: 'Value at the stop; null removes the value.' }), {
        minProperties: 1,
        description:
          'A JSON merge patch (RFC 7396) over image, components and env that makes this template one for the stop, which the service then publishes too. In a template of your own, publish a version for the stop instead.',
        examples: [{ image: { tag: '33.0.6' } }],
      }),
    ),
  },
  { description: 'A version of the application that no upgrade may skip.' },
);

const Sentence = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description });

const Refusal = strict(
  {
    from: Type.Optional(
      SemanticVersion('First version of the template, not of the application, whose instances are refused.'),
    ),
    before: SemanticVersion(
      'First version of the template whose data this one can take; instances of earlier versions are refused.',
    ),
    reason: Sentence('What would be lost or fail, for people.'),
    instead: Sentence('What to do instead of the upgrade.'),
  },
  { description: 'Versions of the template whose data this one cannot take.' },
);

export const UpgradeRules = strict(
  {
    notes: Type.Optional(Type.Array(Note, { maxItems: 50, description: 'Notes shown before an upgrade.' })),
    via: Type.Optional(
      Type.Array(Stop, {
        maxItems: 50,
        description:
          'Required stops, in ascending order. An instance of an older version is upgraded to each in turn before it reaches this one.',
      }),
    ),
    dump_restore: Type.Optional(
      Type.Array(AppVersion('Version of the application that cannot read the data of earlier ones.'), {
        maxItems: 50,
        description:
          'An upgrade that reaches or passes one of these versions dumps the data with the old version and restores it into new volumes of the new one. Needs backup.restore_command.',
      }),
    ),
    refuse: Type.Optional(
      Type.Array(Refusal, {
        maxItems: 20,
        description:
          'Upgrades that are refused, because they would lose data or fail. An instance of such a version stays on it; the upgrade says what to do instead.',
      }),
    ),
  },
  {
    description:
      'How instances of earlier versions get to this one. Versions are those of app_version, except in refuse.',
  },
);

export type UpgradeRules = Static<typeof UpgradeRules>;
