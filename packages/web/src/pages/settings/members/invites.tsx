import type { Invite } from '@hortus/contract/resources/members';
import { useApi, useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { ExpiryTime } from '../../../parts/expiry-time.tsx';
import { Named } from '../../../parts/named.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status, type Tone } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';

const TONES: Readonly<Record<Invite['status'], Tone>> = {
  open: 'wait',
  accepted: 'ok',
  revoked: 'idle',
  expired: 'idle',
};

/** Invites of the account, newest first. */
export function Invites({ mayChange }: { mayChange: boolean }) {
  const query = useApi('members.invites', { query: { per_page: 100 } });
  const order = useOrder('members.revokeInvite');
  const revoke = ({ id, email }: Invite) =>
    order.mutateAsync({ params: { id } }).then(async () => {
      await query.refetch();
      toast(`The link for ${email} no longer works.`);
    }, toastProblem('The invite is still open.'));
  if (!query.data?.data.length) return null;
  return (
    <Section title="Invites">
      <div className="sheet">
        <Table label="Invites" columns={columns(mayChange ? revoke : undefined)} rows={query.data.data} />
      </div>
    </Section>
  );
}

const columns = (revoke: ((invite: Invite) => void) | undefined): readonly Column<Invite>[] => [
  {
    name: 'Email',
    cell: ({ email, role, status }) => (
      <Named also={`${role}, ${status}`}>
        <b>{email}</b>
      </Named>
    ),
  },
  { name: 'Role', wide: true, cell: ({ role }) => role },
  { name: 'State', wide: true, cell: ({ status }) => <Status state={status} tone={TONES[status]} /> },
  { name: 'Invited', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
  {
    name: 'Link works',
    wide: true,
    cell: ({ status, expires_at }) => (status === 'open' ? <ExpiryTime at={expires_at} /> : ''),
  },
  {
    name: ' ',
    cell: (invite) =>
      revoke &&
      invite.status === 'open' && (
        <div className="row-actions text-right">
          <Button small kind="quiet" aria-label={`Revoke the invite of ${invite.email}`} onClick={() => revoke(invite)}>
            Revoke
          </Button>
        </div>
      ),
  },
];
