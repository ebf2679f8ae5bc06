import type { ChannelTest, NotificationChannel } from '@hortus/contract/resources/notification-channels';
import { type ReactNode, useState } from 'react';
import { useApi, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { Named } from '../../../parts/named.tsx';
import { Empty } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Since, Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';
import { channelKinds } from './channel-fields.ts';
import { ChannelForm } from './channel-form.tsx';

type Doing = { readonly what: 'edit' | 'remove'; readonly channel: NotificationChannel };

/** Where messages go: create, test, pause, change, remove. */
export function ChannelsPage(): ReactNode {
  const [search, change] = useListSearch('/frame/notifications/channels');
  const query = useApi('notifications.channels', { query: { page: search.page ?? 1 } });
  const mayChange = useMay()('notifications:write');
  const [doing, setDoing] = useState<Doing>();
  const test = useOrder('notifications.testChannel');
  const update = useOrder('notifications.updateChannel');
  const remove = useOrder('notifications.deleteChannel');
  const close = () => setDoing(undefined);
  const add = mayChange && (
    <Button kind="primary" onClick={() => change({ new: 'channel' })}>
      <Icon name="plus" />
      Add a channel…
    </Button>
  );
  const send = ({ id, name }: NotificationChannel) =>
    test.mutateAsync({ params: { id } }).then(({ data }) => said(name, data), toastProblem(`${name} was not tested.`));
  const toggle = ({ id, name, status }: NotificationChannel) =>
    update
      .mutateAsync({ params: { id }, body: { status: status === 'active' ? 'paused' : 'active' } })
      .then(
        () => toast(status === 'active' ? `${name} gets nothing for now.` : `${name} gets messages again.`),
        toastProblem(`${name} stays as it is.`),
      );
  const actions: Actions | undefined = mayChange
    ? { test: send, toggle, open: setDoing, testing: test.isPending ? test.variables?.params.id : undefined }
    : undefined;
  return (
    <NotificationsFrame title="Channels" actions={query.data?.data.length ? add : undefined}>
      <Loaded query={query} lines={5}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No channels yet." action={add}>
              A channel is where alerts go: a mailbox, Slack, Discord, Teams, Telegram, ntfy, Gotify, or any address.
              Test it before you rely on it.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Channels" columns={columns(actions)} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
      {mayChange && search.new === 'channel' && <ChannelForm onClose={() => change({ new: undefined })} />}
      {doing?.what === 'edit' && <ChannelForm channel={doing.channel} onClose={close} />}
      {doing?.what === 'remove' && (
        <ConfirmDanger
          action="Remove"
          name={doing.channel.name}
          onConfirm={() => remove.mutateAsync({ params: { id: doing.channel.id } })}
          onClose={close}
        >
          Messages that wait for it are not sent any more. Rules that name only this channel are paused.
        </ConfirmDanger>
      )}
    </NotificationsFrame>
  );
}

function said(name: string, { delivered, response_code, reply, error, duration_ms }: ChannelTest): void {
  const text = delivered ? (
    <>
      <b>{name}</b> accepted the test{response_code === null ? '' : ` with ${response_code}`} in {duration_ms} ms.
    </>
  ) : (
    <>
      <b>{name} did not accept the test.</b> {error} {reply && <code>{reply.slice(0, 200)}</code>}
    </>
  );
  toast(text, { tone: delivered ? 'ok' : 'bad' });
}

interface Actions {
  readonly test: (channel: NotificationChannel) => void;
  readonly toggle: (channel: NotificationChannel) => void;
  readonly open: (doing: Doing) => void;
  readonly testing: string | number | undefined;
}

const columns = (actions: Actions | undefined): readonly Column<NotificationChannel>[] => [
  {
    name: 'Name',
    cell: ({ name, type, target }) => (
      <Named also={`${channelKinds[type].label}, ${target}`}>
        <b>{name}</b>
      </Named>
    ),
  },
  { name: 'Kind', wide: true, cell: ({ type }) => channelKinds[type].label },
  { name: 'Goes to', wide: true, cell: ({ target }) => <span className="[overflow-wrap:anywhere]">{target}</span> },
  { name: 'State', wide: true, cell: (channel) => <ChannelState channel={channel} /> },
  { name: 'Added', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
  {
    name: ' ',
    cell: (channel) =>
      actions && (
        <div className="row-actions flex justify-end gap-1">
          <Button
            small
            busy={actions.testing === channel.id}
            aria-label={`Test ${channel.name}`}
            onClick={() => actions.test(channel)}
          >
            Test
          </Button>
          <Menu
            button={
              <Button small square kind="quiet" aria-label={`More for ${channel.name}`}>
                <Icon name="more" />
              </Button>
            }
          >
            <MenuItem onSelect={() => actions.open({ what: 'edit', channel })}>Edit…</MenuItem>
            <MenuItem onSelect={() => actions.toggle(channel)}>
              {channel.status === 'active' ? 'Pause' : 'Resume'}
            </MenuItem>
            <MenuItem danger onSelect={() => actions.open({ what: 'remove', channel })}>
              Remove…
            </MenuItem>
          </Menu>
        </div>
      ),
  },
];

function ChannelState({ channel: { status, failing_since } }: { channel: NotificationChannel }) {
  if (status === 'paused') return <Status state="paused" tone="idle" />;
  if (!failing_since) return <Status state="active" tone="ok" />;
  return (
    <Status state="failing" tone="warn">
      <span>
        Failing for <Since at={failing_since} />
      </span>
    </Status>
  );
}
