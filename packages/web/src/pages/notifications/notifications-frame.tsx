import type { ReactNode } from 'react';
import { Page } from '../../parts/page.tsx';
import { type PageTab, PageTabs } from '../../parts/page-tabs.tsx';

const TABS: readonly PageTab[] = [
  { name: 'Alerts', to: '/notifications' },
  { name: 'Channels', to: '/notifications/channels' },
  { name: 'Rules', to: '/notifications/rules' },
  { name: 'Deliveries', to: '/notifications/deliveries' },
];

/** The heading and the tabs of the notifications. */
export function NotificationsFrame({
  title,
  sentence = 'Notifications',
  actions,
  children,
}: {
  title: string;
  sentence?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Page title={title} sentence={sentence} actions={actions}>
      <PageTabs label="Notifications" tabs={TABS} />
      <h2 className="sr-only">{title}</h2>
      {children}
    </Page>
  );
}
