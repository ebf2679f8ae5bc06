import { step } from '@hortus/contract/machines/machine';
import { migrationMachine } from '@hortus/contract/machines/migration';
import type { Migration, MigrationDetail } from '@hortus/contract/resources/migrations';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { disk } from '../../parts/amount.ts';
import { Button } from '../../parts/button.tsx';
import { took } from '../../parts/durations.ts';
import { Leaf } from '../../parts/icon.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { Since, Time } from '../../parts/time.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { useServers } from '../servers/known-servers.ts';
import { stepName } from './step-name.ts';

const isOver = ({ status }: Migration) => migrationMachine.final.includes(status);
const isCancellable = ({ status }: Migration) => step(migrationMachine, status, 'turn_back') !== undefined;

function toneOf({ status }: Migration): Tone {
  if (status === 'completed' || status === 'switched') return 'ok';
  if (status === 'failed') return 'bad';
  return status === 'returning' ? 'warn' : 'now';
}

/** A migration in one line: from where, to where, and how it is. */
export function MigrationLine({ migration }: { migration: Migration }) {
  const { nameOf } = useServers();
  const { status, from_server_id, to_server_id, created_at, downtime_ms, error } = migration;
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
      <span className="min-w-0 flex-1">
        From {nameOf(from_server_id)} to {nameOf(to_server_id)}
        {downtime_ms !== null && `, ${took(downtime_ms)} of downtime`}
      </span>
      <Status state={status} tone={toneOf(migration)} />
      <Time at={created_at} ago />
      {error && <p className="basis-full text-bad-ink">{error}</p>}
    </div>
  );
}

/** A migration as it goes: its steps, what was sent, and a way to stop it before the target has taken over. */
export function MigrationReport({ migration }: { migration: Migration }) {
  const { data } = useApi('migrations.read', { params: { id: migration.id } });
  const may = useMay();
  const cancel = useOrder('migrations.cancel');
  const detail = data?.data;
  const stop = () =>
    cancel
      .mutateAsync({ params: { id: migration.id } })
      .then(() => toast('The move is cancelled; it runs on the source again.'), toastProblem('The move continues.'));
  return (
    <div className="sheet px-[18px] py-4">
      <MigrationLine migration={detail ?? migration} />
      {!isOver(migration) && (
        <p className="mt-1 text-sm text-ink-3">
          for <Since at={migration.created_at} />
        </p>
      )}
      {detail && <Steps detail={detail} />}
      {detail && <Transfers detail={detail} />}
      {may('definitions:write') && isCancellable(migration) && (
        <Button small className="mt-3" busy={cancel.isPending} onClick={stop}>
          Cancel the move
        </Button>
      )}
    </div>
  );
}

function Steps({ detail }: { detail: MigrationDetail }) {
  const last = detail.log.length - 1;
  return (
    <ol className="steps mt-3">
      {detail.log.map(({ at, step, message }, place) => {
        const isCurrent = place === last && !isOver(detail);
        return (
          <li key={`${at}${step}${message}`} aria-current={isCurrent ? 'step' : undefined}>
            <span className="node">{isCurrent ? <i className="live-dot" /> : <Leaf flipped={place % 2 === 1} />}</span>
            <span className="truncate" title={message}>
              {stepName(step)}: {message}
            </span>
            <Time at={at} />
          </li>
        );
      })}
    </ol>
  );
}

function Transfers({ detail: { transfers } }: { detail: MigrationDetail }) {
  if (transfers.length === 0) return null;
  return (
    <ul className="mt-3 text-sm text-ink-2">
      {transfers.map(({ id, storage, status, bytes, carried_bytes, error }) => (
        <li key={id} className="flex flex-wrap gap-x-3">
          <code className="min-w-0 flex-1">{storage}</code>
          <span>
            {disk(bytes)} on the target, {disk(carried_bytes)} sent
          </span>
          <Status state={status} />
          {error && <p className="basis-full text-bad-ink">{error}</p>}
        </li>
      ))}
    </ul>
  );
}
