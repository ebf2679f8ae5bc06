import type { Canonical, CanonicalInput } from '@hortus/template/canonical/canonical-form';

/** An input of the form. External secrets are asked for like passwords. */
export interface Question extends CanonicalInput {
  readonly required: boolean;
  /** Whether the service chooses a value if none is entered. */
  readonly filled?: boolean;
}

/** What a person has entered; an absent or empty value uses the default. */
export type Entered = Readonly<Record<string, string | boolean>>;

export function questionsOf(spec: Canonical): Question[] {
  const external = Object.entries(spec.secrets).filter(([, secret]) => secret.external);
  return [
    ...spec.inputs.required.map((input) => ({ ...input, required: input.default === undefined })),
    ...external.map(([name]): Question => ({ name, type: 'password', immutable: false, required: true, label: name })),
    ...spec.inputs.optional.map((input) => ({ ...input, required: false })),
  ];
}

/** The questions whose conditions hold: `when` names other inputs and the values that they must have. */
export function applying(questions: readonly Question[], entered: Entered): Question[] {
  const effective = (name: string) => {
    const value = entered[name];
    return value === undefined || value === '' ? questions.find((question) => question.name === name)?.default : value;
  };
  return questions.filter(({ when }) =>
    Object.entries(when ?? {}).every(([name, wanted]) => {
      const value = effective(name);
      return value !== undefined && [wanted].flat().some((item) => String(item) === String(value));
    }),
  );
}

/** The values to send: what was entered for the questions that apply. */
export function inputsOf(questions: readonly Question[], entered: Entered): Record<string, string | boolean> {
  const input = applying(questions, entered).flatMap(({ name }) => {
    const value = entered[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(input);
}

export const labelOf = ({ label, name }: Pick<Question, 'label' | 'name'>): string => label ?? name;

/** A name for the instance from the first label of its address: `letters` of `letters.example.org`. */
export function nameFrom(address: string): string | undefined {
  const [first = ''] = address.toLowerCase().split('.');
  return address.includes('.') && /^[a-z0-9][a-z0-9-]{0,62}$/.test(first) && first !== 'www' ? first : undefined;
}
