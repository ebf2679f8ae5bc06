import { type ReactNode, useSyncExternalStore } from 'react';
import { problemText } from '../api/problem.ts';
import { Button } from './button.tsx';
import { StatusDot, type Tone } from './status.tsx';

interface Toast {
  readonly id: number;
  readonly tone: Tone;
  readonly text: ReactNode;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const SHOWN_MS = 6_000;
let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function set(changed: readonly Toast[]): void {
  toasts = changed;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => set(toasts.filter((toast) => toast.id !== id));

/** Shows one line for six seconds, with at most one action. A failure stays until it is dismissed. */
export function toast(text: ReactNode, { tone = 'ok', action }: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  const id = next++;
  set([...toasts.slice(-3), { id, tone, text, action }]);
  if (tone !== 'bad') setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Shows what went wrong: `toastProblem('Could not restart orders-db.')` as the catch of an order. */
export const toastProblem = (what: string) => (error: unknown) =>
  toast(
    <>
      <b>{what}</b> {problemText(error)}
    </>,
    { tone: 'bad' },
  );

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, tone, text, action }) => (
        <div key={id} className="toast">
          <StatusDot state={tone === 'bad' ? 'failed' : 'done'} tone={tone} />
          <span className="min-w-0 flex-1">{text}</span>
          {action && (
            <Button
              small
              onClick={() => {
                action.run();
                dismiss(id);
              }}
            >
              {action.label}
            </Button>
          )}
          {!action && tone === 'bad' && (
            <Button small kind="quiet" onClick={() => dismiss(id)}>
              Dismiss
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
