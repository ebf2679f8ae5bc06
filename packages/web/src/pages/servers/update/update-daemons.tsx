import type { DaemonUpdateOrder } from '@hortus/contract/resources/daemon-updates';
import type { Server } from '@hortus/contract/resources/server-records';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useOrder } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { toggled } from '../../../parts/toggled.ts';

const ALL = 'all';
const CHOSEN = 'chosen';

const STAGES = [
  { value: 'careful', label: 'One server, then a quarter, then all', stages: [1, '25%', '100%'] },
  { value: 'two', label: 'One server, then all', stages: [1, '100%'] },
  { value: 'once', label: 'All at once', stages: ['100%'] },
];

/** Orders an update of daemons: which servers, in which stages. The dialog says what happens, so it is the confirmation. */
export function UpdateDaemons({ only, onClose }: { only?: Server; onClose: () => void }) {
  const { data } = useApi('servers.list', { query: { per_page: 100 } });
  const old = only ? [only] : (data?.data ?? []).filter(({ daemon }) => daemon.newer_version !== null);
  const [way, setWay] = useState(only ? CHOSEN : ALL);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [stages, setStages] = useState('careful');
  const [failures, setFailures] = useState('0');
  const update = useOrder('daemon-updates.create');
  const navigate = useNavigate();
  const chosen = old.filter((server) => !left.has(server.id));
  const { busy, submit, about, problem } = useSubmission(async () => {
    const order: DaemonUpdateOrder = {
      ...(way === ALL ? { all: true } : way === CHOSEN ? { servers: chosen.map(({ id }) => id) } : { label: way }),
      ...(!only && { stages: STAGES.find(({ value }) => value === stages)?.stages ?? [] }),
      max_failed: Number(failures),
    };
    const { data: begun } = await update.mutateAsync({ body: order });
    await navigate({ to: '/daemon-updates/$id', params: { id: begun.id } });
  }, ['max_failed', 'stages', 'label']);
  const labels = [...new Set(old.flatMap((server) => Object.entries(server.labels).map((pair) => pair.join('='))))];
  const title = only ? `Update the daemon of ${only.name}` : 'Update daemons';
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-4 text-ink-2">
          Each daemon downloads the release, verifies its signature, replaces itself, and returns to the old version by
          itself if the new one does not work. Containers keep running.
        </p>
        {!only && (
          <>
            <SelectField
              label="Servers"
              value={way}
              choices={[
                { value: ALL, label: 'All servers' },
                { value: CHOSEN, label: 'Chosen servers' },
                ...labels.sort().map((label) => ({ value: label, label: `Servers with ${label}` })),
              ]}
              onChange={setWay}
              problem={about('label')}
            />
            {way === CHOSEN && (
              <div className="choices padded">
                {old.map(({ id, name, environment, daemon }) => (
                  <CheckField
                    key={id}
                    label={`${name}: ${daemon.version} → ${daemon.newer_version}`}
                    help={environment}
                    checked={!left.has(id)}
                    onChange={() => setLeft(toggled(left, id))}
                  />
                ))}
              </div>
            )}
            <SelectField
              label="Stages"
              value={stages}
              choices={STAGES}
              help="A stage begins when all servers of the one before are done. Development comes first, then staging, then production."
              onChange={setStages}
              problem={about('stages')}
            />
            <Field
              label="Failures allowed"
              type="number"
              min={0}
              max={500}
              required
              value={failures}
              help="One more failure halts the rest until you decide."
              onChange={setFailures}
              problem={about('max_failed')}
            />
          </>
        )}
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={way === CHOSEN && chosen.length === 0}>
            {way === CHOSEN ? `Update ${counted(chosen.length, 'daemon')}` : 'Update daemons'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
