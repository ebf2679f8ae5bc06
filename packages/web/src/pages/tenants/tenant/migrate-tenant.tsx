import type { MigrationPlan } from '@hortus/contract/resources/migrations';
import type { Tenant } from '@hortus/contract/resources/tenants';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { toast } from '../../../parts/toast.tsx';
import { stepName } from '../../migrations/step-name.ts';
import { useServers } from '../../servers/known-servers.ts';

/** Moves a tenant to another server: first the plan, then the order. */
export function MigrateTenant({ tenant: { id, name, server_id }, onClose }: { tenant: Tenant; onClose: () => void }) {
  const { servers, nameOf } = useServers();
  const others = servers.filter((server) => server.id !== server_id);
  const [chosen, setChosen] = useState('');
  const [ignore, setIgnore] = useState(false);
  const [plan, setPlan] = useState<MigrationPlan>();
  const target = chosen || others[0]?.id || '';
  const migrate = useOrder('tenants.migrate');
  const { busy, submit, about, problem } = useSubmission(async () => {
    const body = { server_id: target, dry_run: plan === undefined, ignore_capacity: ignore };
    const { data } = await migrate.mutateAsync({ params: { id }, body });
    if (plan === undefined) return setPlan(data.plan);
    toast(`${name} moves to ${nameOf(target)}.`);
    onClose();
  }, ['server_id']);
  const title = `Migrate ${name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-5 text-ink-2">
          All of its definitions move, or none. Volumes are copied while they run; then they stop for the rest of the
          copy.
        </p>
        {others.length === 0 ? (
          <p className="mb-4">There is no other server. Register one first.</p>
        ) : (
          <SelectField
            label="To"
            value={target}
            choices={others.map((server) => ({ value: server.id, label: `${server.name}, ${server.status}` }))}
            onChange={(value) => {
              setChosen(value);
              setPlan(undefined);
            }}
            problem={about('server_id')}
          />
        )}
        {plan && <Plan plan={plan} />}
        {plan?.blockers.some(({ reason }) => /capacity|memory|disk/.test(reason)) && (
          <CheckField
            label="Move although the reported room is too small"
            checked={ignore}
            onChange={(checked) => {
              setIgnore(checked);
              setPlan(undefined);
            }}
          />
        )}
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            busy={busy}
            disabled={target === '' || (plan !== undefined && plan.blockers.length > 0)}
          >
            {plan ? `Move ${name} to ${nameOf(target)}` : 'Show the plan'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Plan({ plan: { definitions, steps, blockers, warnings } }: { plan: MigrationPlan }) {
  return (
    <div className="mb-4">
      <h3 className="mb-2">{counted(definitions.length, 'definition')} would move</h3>
      <dl className="facts mb-3">
        {definitions.map(({ definition_id, name, running, volumes, addresses }) => (
          <div key={definition_id} className="contents">
            <dt>{name}</dt>
            <dd>
              {running ? `${counted(volumes.length, 'volume')} to copy` : 'was never deployed; only its server changes'}
              {addresses.length > 0 && <>. Afterwards point {addresses.join(', ')} to the new server</>}
            </dd>
          </div>
        ))}
      </dl>
      {steps.length > 0 && <p className="text-sm text-ink-2">{steps.map(stepName).join(' → ')}</p>}
      {[...blockers, ...warnings].map(({ message, definition_id }, place) => (
        <p
          key={`${message}${definition_id}`}
          className={place < blockers.length ? 'mt-2 text-sm text-bad-ink' : 'mt-2 text-sm text-warn-ink'}
        >
          {message}
        </p>
      ))}
    </div>
  );
}
