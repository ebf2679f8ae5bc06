import type { ListedAction } from '@hortus/contract/resources/actions';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { type FormEvent, useState } from 'react';
import { fieldProblem, problemText } from '../../../api/problem.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { type ParamValues, useRunAction } from './use-run-action.ts';

type Param = ListedAction['params'][number];
type Typed = Readonly<Record<string, string>>;

const isNumber = ({ type }: Param) => ['number', 'integer', 'port'].includes(type);
const FIELD_TYPES: Readonly<Record<string, string>> = {
  password: 'password',
  email: 'email',
  number: 'number',
  integer: 'number',
  port: 'number',
};

/** The form of an action, made from its declaration. A dangerous one asks for the name of the instance as well. */
export function RunAction({
  instance,
  action,
  onClose,
}: {
  instance: Instance;
  action: ListedAction;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState<Typed>(() => defaultsOf(action.params));
  const [confirmed, setConfirmed] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const { order, running } = useRunAction(instance);
  const wrong = fieldProblem(problem);
  const isConfirmed = !action.dangerous || confirmed === instance.name;
  const isComplete = action.params.every(({ name, required }) => !required || typed[name]);
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!isConfirmed || !isComplete) return;
    await order(action, valuesOf(action.params, typed)).then(onClose, setProblem);
  }
  const title = `${action.name} on ${instance.name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-5 text-ink-2">
          {action.description} It may take up to {action.timeout}.
        </p>
        {action.params.map((param) => (
          <ParamField
            key={param.name}
            param={param}
            value={typed[param.name] ?? ''}
            onChange={(value) => setTyped({ ...typed, [param.name]: value })}
            problem={wrong?.field.endsWith(param.name) ? wrong.text : undefined}
          />
        ))}
        {action.dangerous && (
          <Field
            label={`This cannot be undone. Type ${instance.name} to confirm`}
            value={confirmed}
            onChange={setConfirmed}
            autoComplete="off"
          />
        )}
        {problem !== undefined && !action.params.some(({ name }) => wrong?.field.endsWith(name)) && (
          <p role="alert" className="help bad">
            {problemText(problem)}
          </p>
        )}
        <div className="dialog-foot">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            kind={action.dangerous ? 'danger-filled' : 'primary'}
            type="submit"
            disabled={!isConfirmed || !isComplete}
            busy={running !== undefined}
          >
            {action.name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function ParamField({
  param,
  value,
  onChange,
  problem,
}: {
  param: Param;
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}) {
  if (param.type === 'boolean')
    return (
      <label className="field flex items-center gap-2">
        <input
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => onChange(String(event.target.checked))}
        />
        {param.name}
      </label>
    );
  return (
    <Field
      label={param.name}
      note={param.required ? undefined : 'optional'}
      type={FIELD_TYPES[param.type] ?? 'text'}
      autoComplete="off"
      value={value}
      onChange={onChange}
      check={(text) => (param.required && text === '' ? 'Give a value.' : undefined)}
      problem={problem}
    />
  );
}

const defaultsOf = (params: readonly Param[]): Typed =>
  Object.fromEntries(params.map((param) => [param.name, param.default == null ? '' : String(param.default)]));

/** What is sent: numbers as numbers, and nothing for a field that was left empty. */
export const valuesOf = (params: readonly Param[], typed: Typed): ParamValues =>
  Object.fromEntries(
    params
      .filter((param) => typed[param.name] !== undefined && typed[param.name] !== '')
      .map((param) => {
        const text = typed[param.name] as string;
        if (param.type === 'boolean') return [param.name, text === 'true'];
        return [param.name, isNumber(param) ? Number(text) : text];
      }),
  );
