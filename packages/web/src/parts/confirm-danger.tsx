import { type FormEvent, type ReactNode, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';

/**
 * Asks for the name of what will be lost. `action` is the verb of the button ("Release"), `children` say what happens:
 * "Releasing orders-db removes 3 containers. Its volume stays."
 */
export function ConfirmDanger({
  action,
  name,
  onConfirm,
  onClose,
  children,
}: {
  action: string;
  name: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function confirm(event: FormEvent) {
    event.preventDefault();
    if (typed !== name || busy) return;
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  }
  const title = `${action} ${name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm}>
        <h2>{title}</h2>
        <div className="mb-5 text-ink-2">{children}</div>
        <Field
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          problem={problem}
        />
        <div className="dialog-foot">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="danger-filled" type="submit" disabled={typed !== name} busy={busy}>
            {title}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
