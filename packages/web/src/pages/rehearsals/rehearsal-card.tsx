import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import { Link } from '@tanstack/react-router';
import { useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { disk } from '../../parts/amount.ts';
import { Button } from '../../parts/button.tsx';
import { took } from '../../parts/durations.ts';
import { OutputText } from '../../parts/output-text.tsx';
import { Status, sentenceCase, type Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';

const TONES: Readonly<Record<Rehearsal['status'], Tone>> = {
  preparing: 'now',
  restoring: 'now',
  applying: 'now',
  testing: 'now',
  passed: 'ok',
  failed: 'bad',
};

/** What was tried on a copy: the result, what broke, how long it took and how much data there was. */
export function RehearsalCard({ rehearsal }: { rehearsal: Rehearsal }) {
  const { kind, status, created_at, error, last_lines, from_version, to_version } = rehearsal;
  return (
    <article className="mb-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Status state={status} tone={TONES[status]}>
          {sentenceCase(status)}
        </Status>
        <span>{kind === 'clone' ? 'Copy' : `${from_version} → ${to_version}`}</span>
        <span className="text-ink-3">
          <Time at={created_at} ago />
        </span>
        <Remove rehearsal={rehearsal} />
      </div>
      <p className="text-ink-3">{measured(rehearsal)}</p>
      {error && <p className="text-bad-ink">{error}</p>}
      {last_lines.length > 0 && <OutputText text={last_lines.join('\n')} label="Last lines of what failed" />}
      <Kept rehearsal={rehearsal} />
    </article>
  );
}

function measured({ durations_ms, data_bytes, backup_id }: Rehearsal): string {
  const { backup, restore, apply, test } = durations_ms;
  const times = [
    ['backed up', backup],
    ['restored', restore],
    ['applied', apply],
    ['tested', test],
  ] as const;
  return [
    backup_id === null ? 'no data' : `${disk(data_bytes)} of data`,
    ...times.flatMap(([word, ms]) => (ms === null ? [] : `${word} in ${took(ms)}`)),
  ].join(', ');
}

/** A clone can be looked at like any other instance while it exists. */
function Kept({ rehearsal: { kind, removed, copy_instance_id, keep_until } }: { rehearsal: Rehearsal }) {
  if (kind !== 'clone' || removed) return null;
  return (
    <p>
      <Link to="/instances/$id" params={{ id: copy_instance_id }} className="link">
        Look at the copy
      </Link>
      {keep_until && (
        <span className="text-ink-3">
          , removed <Time at={keep_until} />
        </span>
      )}
    </p>
  );
}

function Remove({ rehearsal: { id, removed, finished_at, kind } }: { rehearsal: Rehearsal }) {
  const may = useMay();
  const remove = useOrder('rehearsals.remove');
  const runs = finished_at === null;
  if (removed || !may('deployments:execute') || (kind === 'upgrade' && !runs)) return null;
  const order = () =>
    remove
      .mutateAsync({ params: { id } })
      .then(() => toast('The copy is being removed.'))
      .catch(toastProblem('Could not remove the copy.'));
  return (
    <Button small busy={remove.isPending} onClick={order}>
      {runs ? 'Cancel' : 'Remove copy'}
    </Button>
  );
}
