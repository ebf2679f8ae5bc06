import type { Server } from '@hortus/contract/resources/server-records';
import { useMemo, useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { useCommands } from '../../../frame/commands.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { EmptyServer } from '../evacuation/empty-server.tsx';
import { UpdateDaemons } from '../update/update-daemons.tsx';
import { EditServer } from './edit-server.tsx';
import { Prune } from './prune.tsx';
import { RemoveServer } from './remove-server.tsx';
import { RotateKey } from './rotate-key.tsx';

type Opened = 'edit' | 'empty' | 'update' | 'prune' | 'rotate' | 'remove';

/** The buttons of a server; only those that the person may use. */
export function ServerActions({ server }: { server: Server }) {
  const may = useMay();
  const mayChange = may('servers:write');
  // The members of a cluster have keys of their own.
  const mayRotate = mayChange && may('data:export') && server.kind === 'server';
  const mayPrune = mayChange && may('actions:read');
  const mayMove = mayChange && may('definitions:write');
  const [open, setOpen] = useState<Opened>();
  const drain = useOrder('servers.drain');
  const undrain = useOrder('servers.undrain');
  const isDraining = server.status === 'draining';
  const toggle = () => {
    const order = isDraining ? undrain : drain;
    void order
      .mutateAsync({ params: { id: server.id } })
      .then(
        ({ data: { instances } }) =>
          toast(
            isDraining
              ? `${server.name} accepts deployments again.`
              : `${server.name} accepts no new deployments. ${instances.length} to move.`,
          ),
        toastProblem(`${server.name} stays as it is.`),
      );
  };
  const commands = useMemo(
    () =>
      mayChange
        ? [
            { name: `Edit ${server.name}`, run: () => setOpen('edit') },
            ...(mayPrune ? [{ name: `Prune ${server.name}`, run: () => setOpen('prune') }] : []),
            ...(mayRotate ? [{ name: `Rotate the key of ${server.name}`, run: () => setOpen('rotate') }] : []),
          ]
        : [],
    [mayChange, mayPrune, mayRotate, server.name],
  );
  useCommands(commands);
  if (!mayChange) return null;
  const close = () => setOpen(undefined);
  return (
    <>
      {mayPrune && <Button onClick={() => setOpen('prune')}>Prune…</Button>}
      <Button busy={drain.isPending || undrain.isPending} onClick={toggle}>
        {isDraining ? 'End the drain' : 'Drain'}
      </Button>
      <Menu
        button={
          <Button square aria-label={`More for ${server.name}`}>
            <Icon name="more" />
          </Button>
        }
      >
        <MenuItem onSelect={() => setOpen('edit')}>Edit…</MenuItem>
        {mayMove && <MenuItem onSelect={() => setOpen('empty')}>Drain and move…</MenuItem>}
        {server.daemon.newer_version !== null && <MenuItem onSelect={() => setOpen('update')}>Update daemon…</MenuItem>}
        {mayRotate && <MenuItem onSelect={() => setOpen('rotate')}>Rotate key…</MenuItem>}
        <MenuItem danger onSelect={() => setOpen('remove')}>
          Remove…
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditServer server={server} onClose={close} />}
      {open === 'empty' && <EmptyServer server={server} onClose={close} />}
      {open === 'update' && <UpdateDaemons only={server} onClose={close} />}
      {open === 'prune' && <Prune server={server} onClose={close} />}
      {open === 'rotate' && <RotateKey server={server} onClose={close} />}
      {open === 'remove' && <RemoveServer server={server} onClose={close} />}
    </>
  );
}
