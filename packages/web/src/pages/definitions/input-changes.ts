import type { InputValue } from '@hortus/contract/resources/definition-records';
import type { Canonical, CanonicalInput } from '@hortus/template/canonical/canonical-form';

/** An input of a template, as a form needs it. */
export type FormInput = Pick<
  CanonicalInput,
  'name' | 'type' | 'label' | 'description' | 'default' | 'options' | 'when' | 'immutable'
>;

export const inputsOf = ({ inputs }: Pick<Canonical, 'inputs'>): FormInput[] => [
  ...inputs.required,
  ...inputs.optional,
];

/** The inputs whose conditions hold: `when` names other inputs and the values that they must have. */
export function applying(inputs: readonly FormInput[], present: (name: string) => string): FormInput[] {
  const effective = (name: string) =>
    present(name) || String(inputs.find((input) => input.name === name)?.default ?? '');
  return inputs.filter(({ when }) =>
    Object.entries(when ?? {}).every(([name, wanted]) =>
      [wanted].flat().some((item) => String(item) === effective(name)),
    ),
  );
}

const NUMBERS: readonly string[] = ['number', 'integer', 'port'];

export const shownValue = (value: InputValue | undefined): string => (value === undefined ? '' : String(value));

/** What a form changes: null removes a value; an empty password stays as it is. */
export function changesOf(
  inputs: readonly FormInput[],
  present: Readonly<Record<string, InputValue>>,
  typed: Readonly<Record<string, string>>,
): Record<string, InputValue | null> {
  const changes: Record<string, InputValue | null> = {};
  for (const { name, type } of inputs) {
    const text = typed[name];
    if (text === undefined || text === shownValue(present[name])) continue;
    if (text === '') {
      if (type !== 'password') changes[name] = null;
    } else changes[name] = parsed(type, text);
  }
  return changes;
}

function parsed(type: string, text: string): InputValue {
  if (type === 'boolean') return text === 'true';
  // A text that is no number is sent as it is, so that the service names the field.
  return NUMBERS.includes(type) && Number.isFinite(Number(text)) ? Number(text) : text;
}
