import type { SignedInSession } from '@hortus/contract/resources/sign-in';
import type { ReactNode } from 'react';
import { useApi, useOrder } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { ExpiryTime } from '../../../parts/expiry-time.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Status } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { deviceOf } from './device.ts';

/** Where the person is signed in: list, end one, end all others. */
export function SessionsPage(): ReactNode {
  const [search] = useListSearch('/frame/settings/sessions');
  const query = useApi('account.sessions', { query: { page: search.page ?? 1 } });
  const end = useOrder('account.endSession');
  const endOthers = useOrder('account.endOtherSessions');
  const others = query.data?.data.some(({ current, ended_at }) => !current && ended_at === null);
  const endOne = (session: SignedInSession) =>
    end.mutateAsync({ params: { id: session.id } }).then(async () => {
      await query.refetch();
      toast(`${deviceOf(session.user_agent)} is signed out.`);
    }, toastProblem('The session continues.'));
  const endAll = () =>
    endOthers.mutateAsync({}).then(async ({ data }) => {
      await query.refetch();
      toast(`${counted(data.ended, 'other session')} ended.`);
    }, toastProblem('Your other sessions continue.'));
  return (
    <SettingsFrame
      title="Sessions"
      note="Every browser where you are signed in. End one that you do not know, then change your password."
      action={
        others && (
          <Button busy={endOthers.isPending} onClick={endAll}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={query} lines={4}>
        {({ data, pagination }) => (
          <div className="sheet">
            <Table label="Sessions" columns={columns(endOne)} rows={data} pagination={pagination} />
          </div>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

const columns = (end: (session: SignedInSession) => void): readonly Column<SignedInSession>[] => [
  {
    name: 'Where',
    cell: ({ user_agent, address, last_seen_at }) => (
      <Named
        also={
          <>
            {address}, seen <Time at={last_seen_at} ago />
          </>
        }
      >
        <b title={user_agent ?? ''}>{deviceOf(user_agent)}</b>
      </Named>
    ),
  },
  { name: 'Address', wide: true, cell: ({ address }) => <code>{address ?? 'unknown'}</code> },
  { name: 'Signed in', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
  { name: 'Last seen', wide: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} ago /> },
  { name: 'Ends', wide: true, cell: ({ expires_at, ended_at }) => (ended_at ? '' : <ExpiryTime at={expires_at} />) },
  {
    name: ' ',
    cell: (session) => (
      <div className="row-actions flex justify-end">
        {session.current ? (
          <Status state="this session" tone="ok" />
        ) : session.ended_at ? (
          <Status state="ended" tone="idle" />
        ) : (
          <Button
            small
            kind="quiet"
            aria-label={`End the session of ${deviceOf(session.user_agent)}`}
            onClick={() => end(session)}
          >
            End
          </Button>
        )}
      </div>
    ),
  },
];
