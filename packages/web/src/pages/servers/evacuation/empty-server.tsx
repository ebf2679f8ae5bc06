import type { EvacuationPlan, PlannedMove } from '@hortus/contract/resources/evacuations';
import type { Server } from '@hortus/contract/resources/server-records';
import { useEffect, useRef } from 'react';
import { problemText } from '../../../api/problem.ts';
import { useOrder } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Status } from '../../../parts/status.tsx';
import { toast } from '../../../parts/toast.tsx';

/** Shows where everything on a server would go, and empties it. The dialog says what happens, so it is the confirmation. */
export function EmptyServer({ server, onClose }: { server: Server; onClose: () => void }) {
  const preview = useOrder('evacuations.create');
  const order = useOrder('evacuations.create');
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    preview.mutate({ params: { id: server.id }, body: { dry_run: true } });
  });
  const plan = preview.data?.data.plan;
  const going = plan?.moves.filter(({ to_server_id }) => to_server_id !== null) ?? [];
  const begin = () =>
    order.mutate(
      { params: { id: server.id }, body: {} },
      {
        onSuccess: () => {
          toast(`${server.name} is drained and being emptied.`);
          onClose();
        },
      },
    );
  const problem = preview.error ?? order.error;
  return (
    <Dialog title={`Empty ${server.name}`} onClose={onClose}>
      <h2>Empty {server.name}</h2>
      <p className="mb-4 text-ink-2">
        The server takes no new deployments, and what is on it moves to other servers with its data, two at a time. Each
        is stopped only for the last copy.
      </p>
      {preview.isPending && (
        <p role="status">
          <Status state="running" tone="now">
            Planning
          </Status>
        </p>
      )}
      {plan && <Moves plan={plan} />}
      {problem && (
        <p role="alert" className="text-bad-ink">
          {problemText(problem)}
        </p>
      )}
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={!plan || going.length === 0} busy={order.isPending} onClick={begin}>
          Drain and move {counted(going.length, 'instance')}
        </Button>
      </div>
    </Dialog>
  );
}

function Moves({ plan: { moves, left_out } }: { plan: EvacuationPlan }) {
  if (moves.length === 0) return <p>Nothing is on this server.</p>;
  return (
    <>
      <ul className="max-h-[50vh] overflow-auto" aria-label="Moves">
        {moves.map((move) => (
          <li key={move.definition_id ?? move.tenant_id} className="mb-2">
            <Move move={move} />
          </li>
        ))}
      </ul>
      {left_out > 0 && <p className="text-ink-2">{counted(left_out, 'more')} for a second time.</p>}
    </>
  );
}

function Move({ move: { name, to_server_name, reason, warnings } }: { move: PlannedMove }) {
  return (
    <>
      <b>{name}</b> {to_server_name === null ? <span className="text-bad-ink">stays</span> : `→ ${to_server_name}`}
      <small className="block text-ink-2">{[reason, ...warnings.map(({ message }) => message)].join(' ')}</small>
    </>
  );
}
