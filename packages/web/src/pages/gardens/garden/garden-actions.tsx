import type { Garden } from '@hortus/contract/resources/gardens';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { EditSource } from './edit-source.tsx';
import { RotateSecret } from './rotate-secret.tsx';

type Opened = 'edit' | 'rotate' | 'forget';

/** What can be done with a garden: read its repository, change that, or forget it. */
export function GardenActions({ garden }: { garden: Garden }) {
  const { id, name, source } = garden;
  const mayChange = useMay()('gardens:write');
  const [open, setOpen] = useState<Opened>();
  const sync = useOrder('gardens.sync');
  const forget = useOrder('gardens.delete');
  const navigate = useNavigate();
  if (!mayChange) return null;
  const read = (again: boolean) =>
    sync
      .mutateAsync({ params: { id }, body: again ? { again } : {} })
      .then(
        () => toast(again ? 'The newest commit is planned again.' : 'The repository is being read.', { tone: 'now' }),
        toastProblem('The repository is not read now.'),
      );
  const confirm = async () => {
    await forget.mutateAsync({ params: { id } });
    toast(`${name} is forgotten; what it made stays.`);
    await navigate({ to: '/gardens' });
  };
  const close = () => setOpen(undefined);
  return (
    <>
      {source && (
        <Button busy={sync.isPending} onClick={() => void read(false)}>
          Read now
        </Button>
      )}
      <Menu
        button={
          <Button square aria-label={`More for ${name}`}>
            <Icon name="more" />
          </Button>
        }
      >
        {source && <MenuItem onSelect={() => void read(true)}>Plan the newest commit again</MenuItem>}
        {source && <MenuItem onSelect={() => setOpen('edit')}>Edit…</MenuItem>}
        {source && <MenuItem onSelect={() => setOpen('rotate')}>New webhook secret…</MenuItem>}
        <MenuItem danger onSelect={() => setOpen('forget')}>
          Forget…
        </MenuItem>
      </Menu>
      {open === 'edit' && source && <EditSource garden={garden} source={source} onClose={close} />}
      {open === 'rotate' && source && <RotateSecret garden={garden} onClose={close} />}
      {open === 'forget' && (
        <ConfirmDanger action="Forget" name={name} onConfirm={confirm} onClose={close}>
          Everything that it made keeps running and belongs to no garden any more.
          {source && ' The repository is followed no more, and its token is removed.'}
        </ConfirmDanger>
      )}
    </>
  );
}
