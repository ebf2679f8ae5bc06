import type { ReactNode } from 'react';
import { useMay } from '../../api/session.ts';
import { Page } from '../../parts/page.tsx';
import { type PageTab, PageTabs } from '../../parts/page-tabs.tsx';

/** The heading and the tabs of the account settings; only those that the signed-in person may read. */
export function SettingsFrame({
  title,
  note,
  action,
  children,
}: {
  title: string;
  /** What the tab is for, in a sentence or two. */
  note?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  const may = useMay();
  const tabs: PageTab[] = [
    { name: 'Profile', to: '/settings' },
    { name: 'Password', to: '/settings/password' },
    { name: 'Sessions', to: '/settings/sessions' },
    ...(may('account:read')
      ? ([
          { name: 'Members', to: '/settings/members' },
          { name: 'API Keys', to: '/settings/keys' },
        ] as const)
      : []),
    { name: 'Plan and limits', to: '/settings/plan' },
    ...(may('admin') ? ([{ name: 'Installation', to: '/settings/installation' }] as const) : []),
  ];
  return (
    <Page title={title} sentence="Account settings">
      <PageTabs label="Account settings" tabs={tabs} />
      <div className="mb-[18px] flex flex-wrap items-end gap-x-6 gap-y-3">
        <div className="min-w-[240px] max-w-[62ch] flex-1 text-ink-2">
          <h2 className="sr-only">{title}</h2>
          {note}
        </div>
        {action && <div className="ml-auto">{action}</div>}
      </div>
      {children}
    </Page>
  );
}
