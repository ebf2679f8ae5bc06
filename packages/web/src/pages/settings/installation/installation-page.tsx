import type { ListedAccount } from '@hortus/contract/resources/installation';
import type { ReactNode } from 'react';
import { useApi, useApiWhen } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty, Section } from '../../../parts/page.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { CreateAccount } from './create-account.tsx';
import { PlanChoice } from './plan-choice.tsx';

const NOTE =
  'Accounts of this installation, and the settings with which the service runs. Settings are environment variables; they change at the next start.';

/** For administrators: the accounts of the installation and the settings of the service. */
export function InstallationPage(): ReactNode {
  const [search, change] = useListSearch('/frame/settings/installation');
  const isAdmin = useMay()('admin');
  const accounts = useApiWhen(isAdmin, 'accounts.list', { query: { page: search.page ?? 1 } });
  if (!isAdmin)
    return (
      <SettingsFrame title="Installation">
        <Empty title="Only administrators see the installation.">Ask the operator of this service.</Empty>
      </SettingsFrame>
    );
  return (
    <SettingsFrame
      title="Installation"
      note={NOTE}
      action={
        <Button onClick={() => change({ new: 'account' })}>
          <Icon name="plus" />
          Create an account…
        </Button>
      }
    >
      <Section title="Accounts" className="mb-9">
        <Loaded query={accounts} lines={3}>
          {({ data, pagination }) => (
            <div className="sheet">
              <Table label="Accounts" columns={COLUMNS} rows={data} pagination={pagination} />
            </div>
          )}
        </Loaded>
      </Section>
      {accounts.data && <Settings />}
      {search.new === 'account' && <CreateAccount onClose={() => change({ new: undefined })} />}
    </SettingsFrame>
  );
}

/** Below the accounts, and so only after them: a list of unknown length would push it down. */
function Settings() {
  const settings = useApi('settings.list', { query: { per_page: 100 } });
  return (
    <Section title="Settings">
      <Loaded query={settings} lines={12}>
        {({ data }) => (
          <dl className="facts wide-names">
            {data.map(({ name, value }) => (
              <div key={name} className="contents">
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <code>{value || '–'}</code>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </Section>
  );
}

const COLUMNS: readonly Column<ListedAccount>[] = [
  { name: 'Name', cell: ({ name }) => <b className="[overflow-wrap:anywhere]">{name}</b> },
  { name: 'Plan', cell: (account) => <PlanChoice account={account} /> },
  { name: 'Users', wide: true, cell: ({ users }) => users },
  { name: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
