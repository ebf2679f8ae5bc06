import type { NotificationRule } from '@hortus/contract/resources/notifications';
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
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';
import { RuleForm } from './rule-form.tsx';
import { ruleWords } from './rule-words.ts';

type Doing = { readonly what: 'edit' | 'remove'; readonly rule: NotificationRule };

/** What raises an alert: the rules of the account, and who is told. */
export function RulesPage(): ReactNode {
  const [search, change] = useListSearch('/frame/notifications/rules');
  const query = useApi('notifications.rules', { query: { page: search.page ?? 1, per_page: 50 } });
  const channels = useApi('notifications.channels', { query: { per_page: 100 } }).data?.data ?? [];
  const mayChange = useMay()('notifications:write');
  const [doing, setDoing] = useState<Doing>();
  const update = useOrder('notifications.updateRule');
  const remove = useOrder('notifications.deleteRule');
  const close = () => setDoing(undefined);
  const toggle = ({ id, name, status }: NotificationRule) =>
    update
      .mutateAsync({ params: { id }, body: { status: status === 'active' ? 'paused' : 'active' } })
      .then(
        () => toast(status === 'active' ? `${name} raises no alerts for now.` : `${name} raises alerts again.`),
        toastProblem(`${name} stays as it is.`),
      );
  const nameOf = (id: string) => channels.find((channel) => channel.id === id)?.name ?? id;
  return (
    <NotificationsFrame
      title="Rules"
      actions={
        mayChange && (
          <Button kind="primary" onClick={() => change({ new: 'rule' })}>
            <Icon name="plus" />
            Add a rule…
          </Button>
        )
      }
    >
      <Loaded query={query} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="Nothing is watched.">
              A rule says what is worth a message: a full disk, a server that is silent, a backup that failed.
            </Empty>
          ) : (
            <div className="sheet">
              <Table
                label="Rules"
                columns={columns(nameOf, mayChange ? { toggle, open: setDoing } : undefined)}
                rows={data}
                pagination={pagination}
              />
            </div>
          )
        }
      </Loaded>
      {mayChange && search.new === 'rule' && (
        <RuleForm channels={channels} onClose={() => change({ new: undefined })} />
      )}
      {doing?.what === 'edit' && <RuleForm rule={doing.rule} channels={channels} onClose={close} />}
      {doing?.what === 'remove' && (
        <ConfirmDanger
          action="Remove"
          name={doing.rule.name}
          onConfirm={() => remove.mutateAsync({ params: { id: doing.rule.id } })}
          onClose={close}
        >
          Its open alerts are resolved without a message.
        </ConfirmDanger>
      )}
    </NotificationsFrame>
  );
}

interface Actions {
  readonly toggle: (rule: NotificationRule) => void;
  readonly open: (doing: Doing) => void;
}

const columns = (nameOf: (id: string) => string, actions: Actions | undefined): readonly Column<NotificationRule>[] => [
  {
    name: 'Name',
    cell: (rule) => (
      <Named also={ruleWords(rule)}>
        <b>{rule.name}</b>
      </Named>
    ),
  },
  { name: 'When', wide: true, cell: (rule) => <span className="text-ink-2">{ruleWords(rule)}</span> },
  {
    name: 'Tells',
    wide: true,
    cell: ({ channel_ids }) => (channel_ids.length === 0 ? 'all channels' : channel_ids.map(nameOf).join(', ')),
  },
  {
    name: 'State',
    wide: true,
    cell: ({ status }) => <Status state={status} tone={status === 'active' ? 'ok' : 'idle'} />,
  },
  {
    name: ' ',
    cell: (rule) =>
      actions && (
        <div className="row-actions text-right">
          <Menu
            button={
              <Button small square kind="quiet" aria-label={`More for ${rule.name}`}>
                <Icon name="more" />
              </Button>
            }
          >
            <MenuItem onSelect={() => actions.open({ what: 'edit', rule })}>Edit…</MenuItem>
            <MenuItem onSelect={() => actions.toggle(rule)}>{rule.status === 'active' ? 'Pause' : 'Resume'}</MenuItem>
            <MenuItem danger onSelect={() => actions.open({ what: 'remove', rule })}>
              Remove…
            </MenuItem>
          </Menu>
        </div>
      ),
  },
];
