import { migrationSteps } from '@hortus/contract/actions/steps';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { MigrationPlan } from '@hortus/contract/resources/migrations';
import { useState } from 'react';
import { useApi, useOrder } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Empty, Section } from '../../parts/page.tsx';
import { Trouble } from '../../parts/waiting.tsx';
import { useServers } from '../servers/known-servers.ts';
import { MigrationProgress } from './migration-progress.tsx';

/** Moves the definition with its data to another server: choose it, read the plan, start, watch. */
export function MoveTab({ definition }: { definition: Definition }) {
  const [search, change] = useListSearch('/frame/definitions/$id');
  const servers = (useApi('overview.read').data?.data.servers ?? []).filter(({ id }) => id !== definition.server_id);
  const migrate = useOrder('definitions.migrate');
  const { nameOf: serverName } = useServers();
  const [plan, setPlan] = useState<MigrationPlan>();
  const target = search.to ?? '';
  if (search.migration !== undefined) return <MigrationProgress id={search.migration} name={definition.name} />;
  if (servers.length === 0)
    return (
      <Empty title="There is no other server.">
        Register a second server, and {definition.name} can move there with its data.
      </Empty>
    );
  const ask = (dry_run: boolean) =>
    migrate.mutateAsync({ params: { id: definition.id }, body: { server_id: target, dry_run } }).then(
      ({ data }) => {
        setPlan(data.plan);
        if (data.migration) change({ migration: data.migration.id });
      },
      () => setPlan(undefined),
    );
  return (
    <div className="max-w-[760px]">
      <p className="mb-4 text-ink-2">
        Its volumes are copied while it runs; then it stops, the rest is copied, and it starts on the other server. If
        that fails, it runs here again. You see the plan first.
      </p>
      <div className="filters items-end">
        <label>
          <span className="field-label">Move {definition.name} to</span>
          <select
            className="input filter"
            value={target}
            onChange={(event) => {
              setPlan(undefined);
              change({ to: event.target.value || undefined });
            }}
          >
            <option value="">Choose a server</option>
            {servers.map(({ id, name, environment }) => (
              <option key={id} value={id}>
                {name} ({environment})
              </option>
            ))}
          </select>
        </label>
        <Button disabled={target === ''} busy={migrate.isPending && !plan} onClick={() => ask(true)}>
          Show the plan
        </Button>
      </div>
      {migrate.error && <Trouble error={migrate.error} />}
      {plan && plan.to_server_id === target && (
        <Section title="Plan" className="mt-6">
          <Plan plan={plan} />
          <Button
            kind="primary"
            className="mt-4"
            disabled={plan.blockers.length > 0}
            busy={migrate.isPending}
            onClick={() => ask(false)}
          >
            Move {definition.name} to {serverName(target)}
          </Button>
        </Section>
      )}
    </div>
  );
}

function Plan({ plan: { definitions, steps, blockers, warnings } }: { plan: MigrationPlan }) {
  const volumes = definitions.flatMap((definition) => definition.volumes);
  const addresses = definitions.flatMap((definition) => definition.addresses);
  return (
    <>
      {blockers.map(({ message }) => (
        <p key={message} role="alert" className="mb-2 text-bad-ink">
          {message}
        </p>
      ))}
      {warnings.map(({ message }) => (
        <p key={message} className="mb-2 text-warn-ink">
          {message}
        </p>
      ))}
      <ol className="mb-3 list-decimal pl-5 text-ink-2">
        {steps.map((step) => {
          const known = Object.hasOwn(migrationSteps, step)
            ? migrationSteps[step as keyof typeof migrationSteps]
            : undefined;
          return (
            <li key={step} className="py-1">
              <b className="font-[550] text-ink">{known?.name ?? step}.</b> {known?.description}
            </li>
          );
        })}
      </ol>
      {volumes.length > 0 && <p className="text-ink-2">Volumes to copy: {volumes.join(', ')}.</p>}
      {addresses.length > 0 && (
        <p className="text-ink-2">These names must point to the new server afterwards: {addresses.join(', ')}.</p>
      )}
    </>
  );
}
