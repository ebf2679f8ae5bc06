import type { Permission } from '@hortus/contract/permissions';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { type Tab, Tabs, useTab } from '../../parts/tabs.tsx';
import { Loaded, Skeleton } from '../../parts/waiting.tsx';
import { Head } from './head.tsx';
import { SummaryTab } from './summary/summary-tab.tsx';

/** The views of an instance; what a person may not read has no tab. Only the first loads with the page. */
const views = {
  logs: lazy(() => import('./logs/logs-tab.tsx').then(({ LogsTab }) => ({ default: LogsTab }))),
  shell: lazy(() => import('./shell/shell-tab.tsx').then(({ ShellTab }) => ({ default: ShellTab }))),
  actions: lazy(() => import('./actions/actions-tab.tsx').then(({ ActionsTab }) => ({ default: ActionsTab }))),
  backups: lazy(() => import('./backups/backups-tab.tsx').then(({ BackupsTab }) => ({ default: BackupsTab }))),
  deployments: lazy(() => import('./deployments-tab.tsx').then(({ DeploymentsTab }) => ({ default: DeploymentsTab }))),
  events: lazy(() => import('./events-tab.tsx').then(({ EventsTab }) => ({ default: EventsTab }))),
  drift: lazy(() => import('./drift-tab.tsx').then(({ DriftTab }) => ({ default: DriftTab }))),
};

export function InstancePage(): ReactNode {
  const { id } = useParams({ from: '/frame/instances/$id' });
  const query = useApi('overview.instance', { params: { id } });
  const name = query.data?.data.instance.name ?? 'Instance';
  useEffect(() => {
    document.title = `${name} · Hortus`;
  }, [name]);
  return (
    <div className="page">
      <Loaded query={query} lines={12}>
        {({ data }) => (
          <>
            <Head about={data} />
            <Views about={data} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Views({ about }: { about: InstanceOverview }) {
  const tabs = useTabs(about);
  const chosen = useTab(tabs);
  const View = chosen === 'summary' ? SummaryTab : views[chosen as keyof typeof views];
  return (
    <>
      <Tabs label="Views of the instance" tabs={tabs} />
      <Suspense fallback={<Skeleton lines={10} />}>
        <View about={about} />
      </Suspense>
    </>
  );
}

function useTabs({ instance, actions, backups, deployments }: InstanceOverview): Tab[] {
  const may = useMay();
  const tabs: (Tab & { permission?: Permission })[] = [
    { id: 'summary', name: 'Summary' },
    { id: 'logs', name: 'Logs', permission: 'instances:logs' },
    { id: 'shell', name: 'Shell', permission: 'instances:shell' },
    { id: 'actions', name: 'Actions', permission: 'actions:read', count: actions?.length },
    { id: 'backups', name: 'Backups', permission: 'backups:read', count: backups?.total },
    { id: 'deployments', name: 'Deployments', permission: 'deployments:read', count: deployments?.total },
    { id: 'drift', name: 'Drift', count: instance.drift.length },
    { id: 'events', name: 'Events', permission: 'events:read' },
  ];
  return tabs.filter(({ permission }) => permission === undefined || may(permission));
}
