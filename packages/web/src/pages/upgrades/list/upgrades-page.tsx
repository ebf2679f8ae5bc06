import { upgradeMachine } from '@hortus/contract/machines/upgrade';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Empty, Page } from '../../../parts/page.tsx';
import { Tag } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { isReady, UpgradeStatus } from '../upgrade-status.tsx';
import { ApplyAll } from './apply-all.tsx';

/** Newer versions for what runs: what is there, and all that are ready at once. */
export function UpgradesPage(): ReactNode {
  const [search] = useListSearch('/frame/upgrades');
  const status = upgradeMachine.states.find((state) => state === search.status);
  const query = useApi('upgrades.list', {
    query: { page: search.page ?? 1, per_page: 100, ...(status && { status }) },
  });
  const mayChange = useMay()('upgrades:write');
  const [asking, setAsking] = useState(false);
  const scan = useOrder('upgrades.scan');
  const ready = (query.data?.data ?? []).filter(isReady);
  const checkNow = () =>
    scan.mutateAsync({ body: {} }).then(async ({ data }) => {
      await query.refetch();
      toast(`${counted(data.scanned, 'instance')} compared, ${data.found} new.`);
    }, toastProblem('The scan failed.'));
  const waiting = query.data?.data.filter(({ status: item }) => item === 'available').length;
  return (
    <Page
      title="Upgrades"
      sentence={
        waiting === undefined
          ? 'Upgrades'
          : waiting === 0
            ? 'Everything is up to date.'
            : `${counted(waiting, 'upgrade')} to look at.`
      }
      actions={
        mayChange && (
          <>
            <Button busy={scan.isPending} onClick={checkNow}>
              Look for upgrades
            </Button>
            {ready.length > 1 && (
              <Button kind="primary" onClick={() => setAsking(true)}>
                Apply all {ready.length}…
              </Button>
            )}
          </>
        )
      }
    >
      <div className="filters">
        <Filter name="status" label="State" options={upgradeMachine.states} />
      </div>
      <Loaded query={query} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `No upgrade is ${status}.` : 'No upgrades.'}>
              What runs is compared with the catalog once a day. A newer version appears here with everything that it
              would change; nothing is applied by itself.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Upgrades" columns={COLUMNS} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
      {asking && <ApplyAll upgrades={ready} onClose={() => setAsking(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Upgrade>[] = [
  {
    name: 'Instance',
    cell: ({ id, instance_name, species, from_version, to_version }) => (
      <Named also={`${species} ${from_version} → ${to_version}`}>
        <Link to="/upgrades/$id" params={{ id }} className="row-link">
          <b>{instance_name}</b>
        </Link>
      </Named>
    ),
  },
  { name: 'Species', wide: true, cell: ({ species }) => species },
  { name: 'Version', wide: true, cell: ({ from_version, to_version }) => `${from_version} → ${to_version}` },
  { name: 'Changes', wide: true, cell: ({ changes }) => changes.length },
  {
    name: 'Asks',
    wide: true,
    cell: ({ conflicts, new_inputs, irreversible, refusal }) => (
      <span className="flex gap-[5px]">
        {refusal && <Tag tone="bad">refused</Tag>}
        {!refusal && conflicts.length > 0 && <Tag tone="bad">{counted(conflicts.length, 'conflict')}</Tag>}
        {new_inputs.some(({ required }) => required) && <Tag tone="warn">needs input</Tag>}
        {irreversible.length > 0 && <Tag tone="warn">irreversible</Tag>}
      </span>
    ),
  },
  { name: 'State', cell: (upgrade) => <UpgradeStatus upgrade={upgrade} /> },
  { name: 'Found', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
