import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Section } from '../../../parts/page.tsx';
import { ActionButtons } from '../actions/action-buttons.tsx';
import { ExecutionTable } from '../actions/execution-table.tsx';
import { BackupCard } from '../backups/backup-card.tsx';
import { Components } from './components.tsx';
import { Facts } from './facts.tsx';
import { useReadings } from './reading.ts';

const Charts = lazy(() => import('./charts.tsx').then(({ Charts }) => ({ default: Charts })));

/** How it is, what it uses, and what happened lately. */
export function SummaryTab({ about }: { about: InstanceOverview }) {
  const { instance, actions, executions, backups, deployments } = about;
  const readings = useReadings(instance.id, instance.status === 'running');
  return (
    <div className="instance-columns">
      <div className="min-w-0">
        <Suspense fallback={<div className="charts" />}>
          <Charts instance={instance} readings={readings} deployments={deployments?.data ?? []} />
        </Suspense>
        <Section title="Components" className="mb-8">
          <Components components={instance.components} reading={readings.at(-1)} />
        </Section>
        {executions && executions.data.length > 0 && (
          <Section title="Executions" more={<More tab="actions" text={`All ${executions.total.toLocaleString()}`} />}>
            <ExecutionTable executions={executions.data} />
          </Section>
        )}
      </div>
      <aside className="min-w-0">
        {actions && actions.length > 0 && (
          <Section title="Actions" className="mb-8">
            <ActionButtons instance={instance} actions={actions} />
          </Section>
        )}
        {backups && (
          <Section
            title="Backups"
            className="mb-8"
            more={<More tab="backups" text={backups.total > 0 ? `All ${backups.total.toLocaleString()}` : 'Set up'} />}
          >
            <BackupCard about={about} backups={backups.data} />
          </Section>
        )}
        <Facts about={about} />
      </aside>
    </div>
  );
}

function More({ tab, text }: { tab: string; text: string }) {
  return (
    <Link from="/instances/$id" search={{ tab }} className="text-link">
      {text}
    </Link>
  );
}
