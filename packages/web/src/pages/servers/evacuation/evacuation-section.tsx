import type { EvacuationDetail, EvacuationMove } from '@hortus/contract/resources/evacuations';
import { useApi, useApiWhen, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status, type Tone } from '../../../parts/status.tsx';
import { toastProblem } from '../../../parts/toast.tsx';
import { useServers } from '../known-servers.ts';

/** The last evacuation of a server, with its moves; nothing if there was none. */
export function EvacuationSection({ serverId }: { serverId: string }) {
  const { data } = useApi('evacuations.list', { params: { id: serverId }, query: { per_page: 1 } });
  const last = data?.data[0];
  const { data: detail } = useApiWhen(last !== undefined, 'evacuations.read', { params: { id: last?.id ?? '' } });
  if (!last || !detail) return null;
  return (
    <Section title="Emptying" more={<Cancel evacuation={detail.data} />}>
      <Progress evacuation={detail.data} />
    </Section>
  );
}

function Cancel({ evacuation: { id, status } }: { evacuation: EvacuationDetail }) {
  const cancel = useOrder('evacuations.cancel');
  if (!useMay()('servers:write') || status !== 'running') return null;
  const run = () =>
    void cancel.mutateAsync({ params: { id } }).catch(toastProblem('The evacuation could not be cancelled.'));
  return (
    <Button small busy={cancel.isPending} onClick={run}>
      Cancel the rest
    </Button>
  );
}

function Progress({ evacuation: { status, moved, total, moves } }: { evacuation: EvacuationDetail }) {
  const { nameOf } = useServers();
  return (
    <div className="sheet px-[18px] py-4">
      <p className="mb-2">
        <Status state={status} tone={toneOf(status)} /> {moved} of {total} moved.
      </p>
      <ul aria-label="Moves">
        {moves.map((move) => (
          <li key={move.number} className="flex flex-wrap items-baseline gap-x-3">
            <b>{move.name}</b>
            <span>{move.to_server_id === null ? '' : `→ ${nameOf(move.to_server_id)}`}</span>
            <Status state={move.status} tone={toneOfMove(move)} />
            {move.error && <small className="text-bad-ink">{move.error}</small>}
          </li>
        ))}
      </ul>
    </div>
  );
}

const toneOf = (status: EvacuationDetail['status']): Tone =>
  status === 'running' || status === 'cancelling' ? 'now' : status === 'completed' ? 'ok' : 'warn';

const toneOfMove = ({ status }: EvacuationMove): Tone =>
  status === 'moving' ? 'now' : status === 'moved' ? 'ok' : status === 'stuck' ? 'bad' : 'idle';
