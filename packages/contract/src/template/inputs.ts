import Type, { type Static } from 'typebox';
import { Line, mapOf, strict, VariableName } from './notation.ts';

export const INPUT_TYPES = [
  'string',
  'text',
  'password',
  'number',
  'integer',
  'boolean',
  'email',
  'url',
  'domain',
  'ip',
  'port',
  'path',
  'enum',
  'timezone',
] as const;

export const InputValue = Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean()]);

const Option = strict({
  value: Type.String({ maxLength: 200, description: 'What the definition holds.' }),
  label: Type.Optional(Line('Shown instead of the value.')),
});

/** What inputs of a template and params of an action have in common: one checker serves both. */
export const valueConstraints = {
  type: Type.Enum(INPUT_TYPES, { description: 'How the value is checked, and which field a form shows.' }),
  label: Type.Optional(Line('What a form calls it.')),
  description: Type.Optional(Type.String({ maxLength: 1000, description: 'What a form says about it.' })),
  placeholder: Type.Optional(Line('An example shown in an empty field.')),
  default: Type.Optional(
    Type.Union(InputValue.anyOf, { description: 'Taken when nothing is given; as it is, without ${…}.' }),
  ),
  pattern: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'A regular expression (RE2) that the whole value must match. Look-around and back-references are refused.',
    }),
  ),
  min: Type.Optional(Type.Number({ description: 'Least value of a number, least length of a text.' })),
  max: Type.Optional(Type.Number({ description: 'Greatest value of a number, greatest length of a text.' })),
  options: Type.Optional(Type.Array(Option, { maxItems: 500, description: 'The choices of an enum.' })),
};

export const Input = strict(
  {
    name: VariableName('The key under which a definition gives the value.'),
    ...valueConstraints,
    when: Type.Optional(
      mapOf(
        Type.String(),
        Type.Union([InputValue, Type.Array(InputValue, { minItems: 1 })], {
          description: 'The value it must have, or a list of them.',
        }),
        {
          description:
            'Other inputs and the value (or values) they must have for this one to apply. While it does not apply it counts as unset and is not required.',
        },
      ),
    ),
    immutable: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Cannot change once the definition exists, such as a database name.',
      }),
    ),
    group: Type.Optional(Line('Inputs of one group stand together in a form.')),
  },
  { description: 'One question that the person who deploys answers.' },
);

export const Inputs = strict(
  {
    required: Type.Optional(
      Type.Array(Input, { default: [], maxItems: 200, description: 'What must be answered before a deploy.' }),
    ),
    optional: Type.Optional(
      Type.Array(Input, { default: [], maxItems: 200, description: 'What may be left as it is.' }),
    ),
  },
  { default: {}, description: 'What the person who deploys is asked.' },
);

export type InputType = (typeof INPUT_TYPES)[number];
export type InputValue = Static<typeof InputValue>;
export type Input = Static<typeof Input>;
export type Inputs = Static<typeof Inputs>;
