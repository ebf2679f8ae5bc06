import type { Connection } from '@hortus/contract/resources/connections';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { counted } from '../../parts/amount.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { Named } from '../../parts/named.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { classLabel } from './class-label.ts';
import { ConnectionForm } from './connection-form.tsx';

type Doing = { readonly what: 'edit' | 'delete'; readonly connection: Connection };

/** Saved details of mail servers, databases and others, which definitions use instead of typing them again. */
export function ConnectionsPage(): ReactNode {
  const [search, change] = useListSearch('/frame/connections');
  const query = useApi('connections.list', { query: { page: search.page ?? 1 } });
  const mayChange = useMay()('connections:write');
  const [doing, setDoing] = useState<Doing>();
  const remove = useOrder('connections.delete');
  const close = () => setDoing(undefined);
  const total = query.data?.pagination.total;
  const add = mayChange && (
    <Button kind="primary" onClick={() => change({ new: 'connection' })}>
      <Icon name="plus" />
      Save a connection…
    </Button>
  );
  return (
    <Page
      title="Connections"
      sentence={total ? `${counted(total, 'connection')}.` : 'Connections'}
      actions={total ? add : undefined}
    >
      <Loaded query={query} lines={5}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No connections yet." action={add}>
              Save the details of a mail server, a database or a sign-in once. Every application that needs it can then
              use them, instead of having them typed in again.
            </Empty>
          ) : (
            <div className="sheet">
              <Table
                label="Connections"
                columns={columns(mayChange ? setDoing : undefined)}
                rows={data}
                pagination={pagination}
              />
            </div>
          )
        }
      </Loaded>
      {mayChange && search.new === 'connection' && <ConnectionForm onClose={() => change({ new: undefined })} />}
      {doing?.what === 'edit' && <ConnectionForm connection={doing.connection} onClose={close} />}
      {doing?.what === 'delete' && (
        <ConfirmDanger
          action="Delete"
          name={doing.connection.name}
          onConfirm={() => remove.mutateAsync({ params: { id: doing.connection.id } })}
          onClose={close}
        >
          Its values are deleted. A connection that a definition uses is kept.
        </ConfirmDanger>
      )}
    </Page>
  );
}

const addressOf = ({ host, port, endpoint, issuer }: Connection['attributes']): string =>
  host === undefined ? (endpoint ?? issuer ?? '') : port === undefined ? host : `${host}:${port}`;

const columns = (open: ((doing: Doing) => void) | undefined): readonly Column<Connection>[] => [
  {
    name: 'Name',
    cell: ({ name, class: className, attributes }) => (
      <Named also={[classLabel(className), addressOf(attributes)].filter(Boolean).join(', ')}>
        <b>{name}</b>
      </Named>
    ),
  },
  { name: 'Kind', wide: true, cell: (item) => classLabel(item.class) },
  {
    name: 'Address',
    wide: true,
    cell: ({ attributes }) => <span className="[overflow-wrap:anywhere]">{addressOf(attributes)}</span>,
  },
  { name: 'Used by', wide: true, cell: ({ used_by }) => <Users used_by={used_by} /> },
  { name: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} ago /> },
  {
    name: ' ',
    cell: (connection) =>
      open && (
        <div className="row-actions flex justify-end gap-1">
          <Button small aria-label={`Edit ${connection.name}`} onClick={() => open({ what: 'edit', connection })}>
            Edit
          </Button>
          <Menu
            button={
              <Button small square kind="quiet" aria-label={`More for ${connection.name}`}>
                <Icon name="more" />
              </Button>
            }
          >
            <MenuItem danger onSelect={() => open({ what: 'delete', connection })}>
              Delete…
            </MenuItem>
          </Menu>
        </div>
      ),
  },
];

const SHOWN = 3;

function Users({ used_by }: Pick<Connection, 'used_by'>) {
  if (used_by.length === 0) return <span className="text-ink-2">nothing</span>;
  return (
    <>
      {used_by.slice(0, SHOWN).map(({ definition_id, instance_uid, need }, index) => (
        <span key={`${definition_id} ${need}`}>
          {index > 0 && ', '}
          <Link to="/definitions/$id" params={{ id: definition_id }} className="link">
            {instance_uid}
          </Link>
        </span>
      ))}
      {used_by.length > SHOWN && ` and ${used_by.length - SHOWN} more`}
    </>
  );
}
