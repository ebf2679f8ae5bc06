import type { ReactNode } from 'react';
import { counted } from '../../../parts/amount.ts';
import { InputField } from './input-field.tsx';
import type { Entered, Question } from './questions.ts';

/** Required inputs first, then the name (`children`); optional ones wait in a fold, by their groups. */
export function InputGroups({
  questions,
  entered,
  wrong,
  insist,
  onChange,
  children,
}: {
  questions: readonly Question[];
  entered: Entered;
  wrong: (name: string) => string | undefined;
  insist: boolean;
  onChange: (name: string, value: string | boolean) => void;
  children: ReactNode;
}) {
  const field = (question: Question) => (
    <InputField
      key={question.name}
      question={question}
      value={entered[question.name]}
      wrong={wrong(question.name)}
      insist={insist}
      onChange={(value) => onChange(question.name, value)}
    />
  );
  const optional = questions.filter(({ required }) => !required);
  const groups = Map.groupBy(optional, ({ group }) => group ?? '');
  const hasProblem = optional.some(({ name }) => wrong(name) !== undefined);
  return (
    <>
      {questions.filter(({ required }) => required).map(field)}
      {children}
      {optional.length > 0 && (
        <details className="field" open={(hasProblem && insist) || undefined}>
          <summary className="cursor-pointer text-sm font-[550]">
            {counted(optional.length, 'optional setting')}
          </summary>
          {[...groups].map(([group, of]) => (
            <fieldset key={group} className="mt-4 two-fields">
              {group !== '' && <legend className="mb-2 text-sm text-ink-3">{group}</legend>}
              {of.map(field)}
            </fieldset>
          ))}
        </details>
      )}
    </>
  );
}
