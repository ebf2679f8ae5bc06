import type { Drift } from '@hortus/contract/resources/instance-records';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { counted } from '../../parts/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { useRedeploy } from './redeploy.ts';

/** What differs from what was deployed, and how to undo it. */
export function DriftTab({ about }: { about: InstanceOverview }) {
  const { instance, definition } = about;
  const may = useMay();
  const heal = useRedeploy(instance.definition_id, instance.name);
  return (
    <>
      {instance.drift.length === 0 ? (
        <Empty title="No drift.">
          The daemon compares the containers with what was deployed. A change by hand, such as another memory limit or a
          removed container, is listed here.
        </Empty>
      ) : (
        <Section
          title={counted(instance.drift.length, 'difference')}
          note={
            instance.drifted_at && (
              <>
                since <Time at={instance.drifted_at} />
              </>
            )
          }
          more={
            may('deployments:execute') && (
              <Button kind="primary" small onClick={heal}>
                Heal now
              </Button>
            )
          }
        >
          <Differences drift={instance.drift} />
        </Section>
      )}
      {definition && may('definitions:write') && <HealByItself definition={definition} />}
    </>
  );
}

function Differences({ drift }: { drift: readonly Drift[] }) {
  return (
    <div className="sheet overflow-x-auto">
      <table className="table" aria-label="Differences">
        <thead>
          <tr>
            <th>What</th>
            <th>Deployed</th>
            <th>Actual</th>
          </tr>
        </thead>
        <tbody>
          {drift.map(({ field, declared, actual, component }) => (
            <tr key={`${component} ${field}`}>
              <td>
                <b>{component ?? 'instance'}</b> <code className="text-ink-3">{field}</code>
              </td>
              <td>
                <code>{shown(declared)}</code>
              </td>
              <td>
                <code className="text-bad-ink">{shown(actual)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function HealByItself({ definition }: { definition: { id: string; name: string; heal: boolean } }) {
  const update = useOrder('definitions.update');
  const change = (heal: boolean) =>
    update
      .mutateAsync({ params: { id: definition.id }, body: { heal } })
      .then(() => toast(heal ? 'Drift is repaired by itself from now on.' : 'Drift is only reported from now on.'))
      .catch(toastProblem('Could not change it.'));
  return (
    <label className="mt-6 flex items-center gap-2">
      <input
        type="checkbox"
        checked={update.isPending ? update.variables.body?.heal === true : definition.heal}
        onChange={(event) => void change(event.target.checked)}
      />
      Repair drift automatically, by deploying again
    </label>
  );
}
