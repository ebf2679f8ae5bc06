import type { Server } from '@hortus/contract/resources/server-records';
import type { PruneReport } from '@hortus/contract/resources/servers';
import { useEffect, useRef, useState } from 'react';
import { problemText } from '../../../api/problem.ts';
import { useApiWhen, useOrder } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Status } from '../../../parts/status.tsx';
import { toggled } from '../../../parts/toggled.ts';
import { reportOf, sizeOf } from './prune-report.ts';

/** Shows what is left over on a server, then removes it. Volumes only if they are chosen, because they hold data. */
export function Prune({ server, onClose }: { server: Server; onClose: () => void }) {
  const preview = usePrune(server.id);
  const removal = usePrune(server.id);
  const [volumes, setVolumes] = useState<ReadonlySet<string>>(new Set());
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    preview.order({ dry_run: true });
  });
  const removed = removal.report;
  const toggle = (name: string) => setVolumes(toggled(volumes, name));
  const found = preview.report;
  const count = found ? sizeOf(found) + volumes.size : 0;
  return (
    <Dialog title={`Prune ${server.name}`} onClose={onClose}>
      <h2>Prune {server.name}</h2>
      {removed ? (
        <>
          <p className="mb-4 text-ink-2">{counted(sizeOf(removed), 'object')} removed.</p>
          <Things report={removed} />
        </>
      ) : (
        <>
          <p className="mb-4 text-ink-2">
            Leftovers of instances that are gone: containers, networks and images. Nothing else on the machine is
            touched.
          </p>
          <State {...preview} waiting={`Asking ${server.name} what is left over`} />
          {found && <Things report={found} />}
          {found && found.kept_volumes.length > 0 && (
            <fieldset className="mt-4">
              <legend className="field-label">Volumes that nothing uses any more; they hold data</legend>
              <div className="choices padded">
                {found.kept_volumes.map((name) => (
                  <CheckField
                    key={name}
                    label={<code>{name}</code>}
                    checked={volumes.has(name)}
                    onChange={() => toggle(name)}
                  />
                ))}
              </div>
            </fieldset>
          )}
          {removal.isBusy && <State {...removal} waiting="Removing" />}
          {removal.problem && <State {...removal} waiting="" />}
        </>
      )}
      <div className="dialog-foot">
        <Button onClick={onClose}>{removed ? 'Done' : 'Cancel'}</Button>
        {!removed && (
          <Button
            kind="danger-filled"
            disabled={count === 0}
            busy={removal.isBusy}
            onClick={() => removal.order({ dry_run: false, volumes: [...volumes] })}
          >
            Remove {counted(count, 'object')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** Orders a prune and follows its execution until it has a report. */
function usePrune(serverId: string) {
  const prune = useOrder('servers.prune');
  const id = prune.data?.execution.id ?? '';
  const { data } = useApiWhen(id !== '', 'actions.read', { params: { execution_id: id } });
  const execution = data?.execution ?? prune.data?.execution;
  const report = execution?.status === 'completed' ? reportOf(execution.output) : undefined;
  const over = execution && !['pending', 'sent', 'running'].includes(execution.status);
  const failure = prune.error
    ? problemText(prune.error)
    : over && !report
      ? (execution.error ?? 'No report arrived.')
      : undefined;
  return {
    report,
    problem: failure,
    isBusy: prune.isPending || (execution !== undefined && !over),
    order: (body: { dry_run: boolean; volumes?: string[] }) => prune.mutate({ params: { id: serverId }, body }),
  };
}

function State({ problem, isBusy, waiting }: { problem: string | undefined; isBusy: boolean; waiting: string }) {
  if (problem)
    return (
      <p role="alert" className="text-bad-ink">
        {problem}
      </p>
    );
  if (!isBusy) return null;
  return (
    <p role="status">
      <Status state="running" tone="now">
        {waiting}
      </Status>
    </p>
  );
}

function Things({ report }: { report: PruneReport }) {
  const groups = [
    ['Containers', report.containers],
    ['Networks', report.networks],
    ['Images', report.images],
    ['Volumes', report.volumes],
    ['Problems', report.problems],
  ] as const;
  const filled = groups.filter(([, names]) => names.length > 0);
  if (filled.length === 0) return <p>Nothing is left over.</p>;
  return (
    <dl className="facts">
      {filled.map(([title, names]) => (
        <div key={title} className="contents">
          <dt>{title}</dt>
          <dd>
            {names.map((name) => (
              <code key={name} className="block">
                {name}
              </code>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
