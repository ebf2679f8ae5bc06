import { migrationMachine } from '@hortus/contract/machines/migration';
import type { MigrationDetail } from '@hortus/contract/resources/migrations';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { PlaceLink } from '../../frame/place-link.tsx';
import { Button } from '../../parts/button.tsx';
import { took } from '../../parts/durations.ts';
import { Section } from '../../parts/page.tsx';
import { Status, sentenceCase } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { useServerName } from '../instances/server-filter.tsx';

/** States from which a migration still moves. */
const isOver = ({ status }: MigrationDetail): boolean =>
  !migrationMachine.moves.some(({ from }) => Array.isArray(from) && (from as readonly string[]).includes(status));

/** A migration as it goes: its state, its log, and a way to stop it before the target has taken over. */
export function MigrationProgress({ id, name }: { id: string; name: string }) {
  const query = useApi('migrations.read', { params: { id } });
  const serverName = useServerName();
  return (
    <Loaded query={query} lines={8}>
      {({ data }) => (
        <Section
          title={`${name} from ${serverName(data.from_server_id)} to ${serverName(data.to_server_id)}`}
          more={<Cancel migration={data} />}
        >
          <p className="mb-3 flex flex-wrap gap-4">
            <Status state={data.status} tone={toneOf(data)}>
              {sentenceCase(data.status)}
            </Status>
            {data.downtime_ms !== null && <span>It was away for {took(data.downtime_ms)}.</span>}
            {data.release_at && !isOver(data) && (
              <span>
                The source is cleared <Time at={data.release_at} />.
              </span>
            )}
          </p>
          {data.error && <p className="mb-3 text-bad-ink">{data.error}</p>}
          <ol className="sheet px-[18px] py-3 text-sm">
            {data.log.map((line) => (
              <li key={`${line.at} ${line.message}`} className="flex gap-4 py-1">
                <span className="w-20 flex-none text-ink-3">
                  <Time at={line.at} />
                </span>
                <span>{line.message}</span>
              </li>
            ))}
          </ol>
          <PlaceLink
            to="/definitions/$id"
            params={{ id: data.definition_ids[0] ?? '' }}
            className="link mt-4 inline-block"
          >
            Back to {name}
          </PlaceLink>
        </Section>
      )}
    </Loaded>
  );
}

const toneOf = (migration: MigrationDetail) =>
  migration.status === 'failed' ? 'bad' : isOver(migration) ? 'ok' : ('now' as const);

function Cancel({ migration }: { migration: MigrationDetail }) {
  const may = useMay();
  const cancel = useOrder('migrations.cancel');
  if (!may('definitions:write') || isOver(migration) || migration.switched_at !== null) return null;
  const order = () =>
    cancel
      .mutateAsync({ params: { id: migration.id } })
      .then(() => toast('Cancelling. It runs on its old server again in a moment.'))
      .catch(toastProblem('Could not cancel.'));
  return (
    <Button small busy={cancel.isPending} onClick={order}>
      Cancel
    </Button>
  );
}
