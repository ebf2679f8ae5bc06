import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Page } from '../../../parts/page.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { RehearsalsSection } from '../../rehearsals/rehearsals-section.tsx';
import { ApplyUpgrade } from './apply-upgrade.tsx';
import { Changes } from './changes.tsx';
import { Questions, UpgradeFacts } from './upgrade-facts.tsx';

/** One upgrade: what it changes in words and as a diff, what it asks, and how it went. */
export function UpgradePage(): ReactNode {
  const { id } = useParams({ from: '/frame/upgrades/$id' });
  const query = useApi('upgrades.read', { params: { id } });
  const upgrade = query.data?.data;
  const may = useMay();
  return (
    <Page
      title={upgrade ? `Upgrade of ${upgrade.instance_name}` : 'Upgrade'}
      sentence={upgrade ? <Heading upgrade={upgrade} /> : 'Upgrade'}
      actions={upgrade && <Actions upgrade={upgrade} />}
    >
      <Loaded query={query} lines={12}>
        {({ data }) => (
          <>
            <UpgradeFacts upgrade={data} />
            <Questions upgrade={data} />
            {may('deployments:read') && <RehearsalsSection title="Rehearsals" of={{ upgrade_id: data.id }} />}
            <Changes changes={data.changes} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Heading({ upgrade: { instance_name, from_version, to_version } }: { upgrade: Upgrade }) {
  return (
    <>
      <span className="[overflow-wrap:anywhere]">{instance_name}</span>{' '}
      <em>
        from {from_version} to {to_version}.
      </em>
    </>
  );
}

function Actions({ upgrade }: { upgrade: Upgrade }) {
  const { id, status, instance_name, refusal } = upgrade;
  const mayChange = useMay()('upgrades:write');
  const [purpose, setPurpose] = useState<'apply' | 'rehearse'>();
  const acknowledge = useOrder('upgrades.acknowledge');
  if (!mayChange || !['available', 'acknowledged', 'failed'].includes(status)) return null;
  const later = () =>
    acknowledge
      .mutateAsync({ params: { id } })
      .then(() => toast(`${instance_name} stays on its version for now.`), toastProblem('Nothing changed.'));
  return (
    <>
      {status === 'available' && (
        <Button busy={acknowledge.isPending} onClick={later}>
          Not now
        </Button>
      )}
      {!refusal && (
        <>
          <Button onClick={() => setPurpose('rehearse')}>Rehearse…</Button>
          <Button kind="primary" onClick={() => setPurpose('apply')}>
            {status === 'failed' ? 'Apply again…' : 'Apply…'}
          </Button>
        </>
      )}
      {purpose && <ApplyUpgrade upgrade={upgrade} purpose={purpose} onClose={() => setPurpose(undefined)} />}
    </>
  );
}
