import type { ListedAction } from '@hortus/contract/resources/actions';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { type FormEvent, useState } from 'react';
import { fieldProblem, problemText } from '../../../api/problem.ts';
import { Button } from '../../../parts/button.tsx';
import { DeclaredField } from '../../../parts/declared-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { defaultsOf, type Typed, valuesOf } from './params.ts';
import { useRunAction } from './use-run-action.ts';

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
          <DeclaredField
            key={param.name}
            declared={param}
            note={param.required ? undefined : 'optional'}
            check={(text) => (param.required && text === '' ? 'Give a value.' : undefined)}
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
