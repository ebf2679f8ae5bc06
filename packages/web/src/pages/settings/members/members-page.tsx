import type { User } from '@hortus/contract/resources/sign-in';
import { type ReactNode, useMemo, useState } from 'react';
import { useApi } from '../../../api/query.ts';
import { useMay, useSession } from '../../../api/session.ts';
import { useCommands } from '../../../frame/commands.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { Named } from '../../../parts/named.tsx';
import { sentenceCase, Tag } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { GrantPermissions } from './grant-permissions.tsx';
import { InviteMember } from './invite-member.tsx';
import { Invites } from './invites.tsx';
import { RemoveMember } from './remove-member.tsx';
import { ResetLinkDialog } from './reset-link.tsx';

type Doing = { readonly what: 'grant' | 'remove' | 'reset'; readonly user: User };

/** People of the account, their roles, and who is invited. */
export function MembersPage(): ReactNode {
  const [search, change] = useListSearch('/frame/settings/members');
  const query = useApi('members.list', { query: { page: search.page ?? 1 } });
  const mayChange = useMay()('account:write');
  const { user: me } = useSession();
  const [doing, setDoing] = useState<Doing>();
  const begin = () => change({ new: 'invite' });
  useCommands(
    // biome-ignore lint/correctness/useExhaustiveDependencies: begin only changes the URL
    useMemo(() => (mayChange ? [{ name: 'Invite a member', run: begin }] : []), [mayChange]),
  );
  const close = () => setDoing(undefined);
  return (
    <SettingsFrame
      title="Members"
      note="An owner may do everything here. A member may do the same, except for keys, members and exports, and opens shells only if an owner allows it."
      action={
        mayChange && (
          <Button kind="primary" onClick={begin}>
            <Icon name="plus" />
            Invite…
          </Button>
        )
      }
    >
      <Loaded query={query} lines={4}>
        {({ data, pagination }) => (
          <div className="sheet mb-9">
            <Table
              label="Members"
              columns={columns(me?.id, mayChange ? setDoing : undefined)}
              rows={data}
              pagination={pagination}
            />
          </div>
        )}
      </Loaded>
      {query.data && <Invites mayChange={mayChange} />}
      {mayChange && search.new === 'invite' && <InviteMember onClose={() => change({ new: undefined })} />}
      {doing?.what === 'grant' && <GrantPermissions user={doing.user} onClose={close} />}
      {doing?.what === 'remove' && <RemoveMember user={doing.user} onClose={close} />}
      {doing?.what === 'reset' && <ResetLinkDialog user={doing.user} onClose={close} />}
    </SettingsFrame>
  );
}

const columns = (me: string | undefined, act: ((doing: Doing) => void) | undefined): readonly Column<User>[] => [
  {
    name: 'Name',
    cell: ({ id, name, email, role }) => (
      <Named also={`${email}, ${role}`}>
        <b>{name ?? email}</b>
        {id === me && <Tag>you</Tag>}
      </Named>
    ),
  },
  { name: 'Email', wide: true, cell: ({ email }) => email },
  {
    name: 'Role',
    wide: true,
    cell: ({ role, admin, granted_permissions }) => (
      <span className="flex flex-wrap items-center gap-[5px]">
        {sentenceCase(role)}
        {admin && <Tag tone="bad">admin</Tag>}
        {granted_permissions.map((name) => (
          <Tag key={name} mono>
            {name}
          </Tag>
        ))}
      </span>
    ),
  },
  { name: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
  {
    name: ' ',
    cell: (user) =>
      act && (
        <div className="row-actions text-right">
          <Menu
            button={
              <Button small square kind="quiet" aria-label={`What to do with ${user.name ?? user.email}`}>
                <Icon name="more" />
              </Button>
            }
          >
            {user.role === 'member' && <MenuItem onSelect={() => act({ what: 'grant', user })}>Permissions…</MenuItem>}
            <MenuItem onSelect={() => act({ what: 'reset', user })}>Create a password reset link…</MenuItem>
            {user.id !== me && (
              <MenuItem danger onSelect={() => act({ what: 'remove', user })}>
                Remove…
              </MenuItem>
            )}
          </Menu>
        </div>
      ),
  },
];
