import { useId, useState } from 'react';
import { Field } from '../../../parts/field.tsx';
import { sentenceCase } from '../../../parts/status.tsx';
import { labelOf, type Question } from './questions.ts';

/** The form field of one input, by its type. `wrong` is what the checker says; it shows after the first blur. */
export function InputField({
  question,
  value,
  wrong,
  insist,
  onChange,
}: {
  question: Question;
  value: string | boolean | undefined;
  wrong: string | undefined;
  /** Shows what is wrong even if the field was not touched, after an attempt to deploy. */
  insist: boolean;
  onChange: (value: string | boolean) => void;
}) {
  const [left, setLeft] = useState(false);
  const said = wrong === undefined ? undefined : `${sentenceCase(wrong)}.`;
  const shared = { question, problem: left || insist ? said : undefined, onChange, onLeave: () => setLeft(true) };
  const text = typeof value === 'string' ? value : '';
  switch (question.type) {
    case 'boolean':
      return <Checkbox {...shared} value={typeof value === 'boolean' ? value : question.default === true} />;
    case 'enum':
      return <Select {...shared} value={text} />;
    case 'text':
      return <TextArea {...shared} value={text} />;
    default:
      return <Line {...{ question, said, insist, onChange }} value={text} />;
  }
}

interface FieldProps<Value> {
  question: Question;
  value: Value;
  problem: string | undefined;
  onChange: (value: Value) => void;
  onLeave: () => void;
}

const noteOf = ({ required, filled, immutable }: Question): string | undefined => {
  const notes = [(!required || filled) && 'optional', immutable && 'cannot change later'].filter(Boolean);
  return notes.length > 0 ? notes.join(', ') : undefined;
};

const NUMERIC = new Set(['number', 'integer', 'port']);

function Line({
  question,
  value,
  said,
  insist,
  onChange,
}: Pick<FieldProps<string>, 'question' | 'value' | 'onChange'> & { said: string | undefined; insist: boolean }) {
  const list = useId();
  const { type, description, placeholder, default: standard } = question;
  const isZone = type === 'timezone';
  return (
    <>
      <Field
        label={labelOf(question)}
        note={noteOf(question)}
        help={description}
        check={() => said}
        problem={insist ? said : undefined}
        name={question.name}
        type={type === 'password' ? 'password' : 'text'}
        inputMode={NUMERIC.has(type) ? 'numeric' : undefined}
        autoComplete={type === 'password' ? 'new-password' : 'off'}
        spellCheck={type === 'string' ? undefined : false}
        required={question.required && !question.filled}
        placeholder={standard === undefined ? placeholder : String(standard)}
        list={isZone ? list : undefined}
        value={value}
        onChange={onChange}
      />
      {isZone && (
        <datalist id={list}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      )}
    </>
  );
}

function TextArea({ question, value, problem, onChange, onLeave }: FieldProps<string>) {
  const id = useId();
  const below = problem ?? question.description;
  return (
    <div className="field whole">
      <label className="field-label" htmlFor={id}>
        {labelOf(question)}
        <small>{noteOf(question)}</small>
      </label>
      <textarea
        id={id}
        className="input h-24! py-2"
        value={value}
        placeholder={question.placeholder ?? (question.default === undefined ? undefined : String(question.default))}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={below ? `${id}-below` : undefined}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onLeave}
      />
      <Below id={id} problem={problem} help={question.description} />
    </div>
  );
}

function Select({ question, value, problem, onChange, onLeave }: FieldProps<string>) {
  const id = useId();
  const options = question.options ?? [];
  const chosen = value || (question.default === undefined ? '' : String(question.default));
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {labelOf(question)}
        <small>{noteOf(question)}</small>
      </label>
      <select
        id={id}
        className="input"
        value={chosen}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem || question.description ? `${id}-below` : undefined}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onLeave}
      >
        {chosen === '' && <option value="">Choose one</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label ?? option.value}
          </option>
        ))}
      </select>
      <Below id={id} problem={problem} help={question.description} />
    </div>
  );
}

function Checkbox({ question, value, problem, onChange, onLeave }: FieldProps<boolean>) {
  const id = useId();
  return (
    <div className="field whole">
      <label className="flex items-baseline gap-2.5 text-sm font-[550]">
        <input
          type="checkbox"
          className="accent-(--primary)"
          checked={value}
          aria-describedby={question.description ? `${id}-below` : undefined}
          onChange={(event) => onChange(event.target.checked)}
          onBlur={onLeave}
        />
        {labelOf(question)}
      </label>
      <Below id={id} problem={problem} help={question.description} />
    </div>
  );
}

function Below({ id, problem, help }: { id: string; problem: string | undefined; help: string | undefined }) {
  const text = problem ?? help;
  if (!text) return null;
  return (
    <p id={`${id}-below`} className={problem ? 'help bad' : 'help'}>
      {text}
    </p>
  );
}
