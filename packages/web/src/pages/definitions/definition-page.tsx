import type { Permission } from '@hortus/contract/permissions';
import type { Definition } from '@hortus/contract/resources/definition-records';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { type Tab, Tabs, useTab } from '../../parts/tabs.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { DefinitionHead } from './definition-head.tsx';
import { ExportTab } from './export-tab.tsx';
import { MoveTab } from './move-tab.tsx';
import { RevisionsTab } from './revisions-tab.tsx';
import { SecretsTab } from './secrets-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';

const views = {
  settings: SettingsTab,
  revisions: RevisionsTab,
  secrets: SecretsTab,
  move: MoveTab,
  export: ExportTab,
};

export function DefinitionPage(): ReactNode {
  const { id } = useParams({ from: '/frame/definitions/$id' });
  const query = useApi('definitions.read', { params: { id } });
  const name = query.data?.data.name ?? 'Definition';
  useEffect(() => {
    document.title = `${name} · Hortus`;
  }, [name]);
  return (
    <div className="page">
      <Loaded query={query} lines={12}>
        {({ data }) => (
          <>
            <DefinitionHead definition={data} />
            <Views definition={data} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Views({ definition }: { definition: Definition }) {
  const may = useMay();
  const all: (Tab & { permission?: Permission })[] = [
    { id: 'settings', name: 'Settings' },
    { id: 'revisions', name: 'Revisions', count: definition.current_revision },
    { id: 'secrets', name: 'Secrets', permission: 'secrets:read' },
    { id: 'move', name: 'Move', permission: 'definitions:write' },
    { id: 'export', name: 'Export' },
  ];
  const tabs = all.filter(({ permission }) => permission === undefined || may(permission));
  const View = views[useTab(tabs) as keyof typeof views];
  return (
    <>
      <Tabs label="Views of the definition" tabs={tabs} />
      <View definition={definition} />
    </>
  );
}
