import type { ListedAction } from '@hortus/contract/resources/actions';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { RunAction } from './run-action.tsx';
import { useRunAction } from './use-run-action.ts';

/** The actions that the template declares, as buttons. One with params or danger opens a form. */
export function ActionButtons({ instance, actions }: { instance: Instance; actions: readonly ListedAction[] }) {
  const may = useMay();
  const [open, setOpen] = useState<ListedAction>();
  const { run, running } = useRunAction(instance);
  const allowed = actions.filter(({ dangerous }) => may('actions:execute') && (!dangerous || may('actions:dangerous')));
  const isRunning = instance.status === 'running';
  if (allowed.length === 0)
    return (
      <p className="text-sm text-ink-2">
        {actions.length === 0 ? 'Its template declares none.' : 'You may read them, but not run any.'}
      </p>
    );
  return (
    <div className="actions">
      {allowed.map((action) => {
        const asks = action.dangerous || action.params.length > 0;
        return (
          <button
            key={action.slug}
            type="button"
            className={action.dangerous ? 'action danger' : 'action'}
            disabled={!isRunning || running === action.slug}
            title={action.description}
            onClick={() => (asks ? setOpen(action) : void run(action, {}))}
          >
            <b>
              {action.name}
              {asks && '…'}
            </b>
            <span>{action.dangerous ? 'Asks for its name first' : action.description}</span>
          </button>
        );
      })}
      {!isRunning && <p className="col-span-full text-sm text-ink-2">They need a running instance.</p>}
      {open && <RunAction instance={instance} action={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}
