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
  value: Type.String({ maxLength: 200, description: 'Value in the definition.' }),
  label: Type.Optional(Line('Shown instead of the value.')),
});

/** Constraints of template inputs and action params; the same checker handles both. */
export const valueConstraints = {
  type: Type.Enum(INPUT_TYPES, { description: 'Type of the value; determines its validation and the form field.' }),
  label: Type.Optional(Line('Label in forms.')),
  description: Type.Optional(Type.String({ maxLength: 1000, description: 'Help text in forms.' })),
  placeholder: Type.Optional(Line('An example shown in an empty field.')),
  default: Type.Optional(
    Type.Union(InputValue.anyOf, { description: 'Default value, taken literally: ${…} is not filled.' }),
  ),
  pattern: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'A regular expression (RE2) that the whole value must match. Look-around and back-references are refused.',
    }),
  ),
  min: Type.Optional(Type.Number({ description: 'Minimum of a number, minimum length of a text.' })),
  max: Type.Optional(Type.Number({ description: 'Maximum of a number, maximum length of a text.' })),
  options: Type.Optional(Type.Array(Option, { maxItems: 500, description: 'The choices of an enum.' })),
};

export const Input = strict(
  {
    name: VariableName('Key of the value in a definition.'),
    ...valueConstraints,
    when: Type.Optional(
      mapOf(
        Type.String(),
        Type.Union([InputValue, Type.Array(InputValue, { minItems: 1 })], {
          description: 'The required value, or a list of allowed values.',
        }),
        {
          description:
            'Other inputs and the values that they must have for this input to apply. An input that does not apply is unset and not required.',
        },
      ),
    ),
    immutable: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether it cannot change once the definition exists, such as a database name.',
      }),
    ),
    group: Type.Optional(Line('Group of the input in forms.')),
  },
  { description: 'One input of a definition.' },
);

export const Inputs = strict(
  {
    required: Type.Optional(
      Type.Array(Input, { default: [], maxItems: 200, description: 'Inputs that are required for a deployment.' }),
    ),
    optional: Type.Optional(
      Type.Array(Input, { default: [], maxItems: 200, description: 'Inputs that may be omitted.' }),
    ),
  },
  { default: {}, description: 'Inputs of a definition.' },
);

export type InputType = (typeof INPUT_TYPES)[number];
export type InputValue = Static<typeof InputValue>;
export type Input = Static<typeof Input>;
export type Inputs = Static<typeof Inputs>;
