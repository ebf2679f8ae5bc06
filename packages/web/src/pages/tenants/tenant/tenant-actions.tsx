import type { Tenant } from '@hortus/contract/resources/tenants';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { MigrateTenant } from './migrate-tenant.tsx';

type Opened = 'suspend' | 'migrate' | 'delete';

/** What can be done with a tenant in its state. */
export function TenantActions({ tenant }: { tenant: Tenant }) {
  const { id, name, status, running_count } = tenant;
  const mayChange = useMay()('tenants:write');
  const [open, setOpen] = useState<Opened>();
  const [force, setForce] = useState(false);
  const suspend = useOrder('tenants.suspend');
  const resume = useOrder('tenants.resume');
  const activate = useOrder('tenants.activate');
  const remove = useOrder('tenants.delete');
  const navigate = useNavigate();
  if (!mayChange || status === 'deleted') return null;
  const close = () => setOpen(undefined);
  const order = (what: typeof resume, done: string) => () =>
    void what.mutateAsync({ params: { id } }).then(() => toast(done), toastProblem(`${name} stays as it is.`));
  const isSuspended = status === 'suspended';
  return (
    <>
      {status === 'active' && <Button onClick={() => setOpen('migrate')}>Migrate…</Button>}
      {isSuspended && (
        <Button kind="primary" busy={resume.isPending} onClick={order(resume, `${name} runs again.`)}>
          Resume
        </Button>
      )}
      {(status === 'active' || status === 'pending') && <Button onClick={() => setOpen('suspend')}>Suspend…</Button>}
      {status !== 'migrating' && (
        <Menu
          button={
            <Button square aria-label={`More for ${name}`}>
              <Icon name="more" />
            </Button>
          }
        >
          {(isSuspended || status === 'pending') && (
            <MenuItem onSelect={order(activate, `${name} accepts deployments.`)}>
              Activate without starting anything
            </MenuItem>
          )}
          <MenuItem danger onSelect={() => setOpen('delete')}>
            Delete…
          </MenuItem>
        </Menu>
      )}
      {open === 'migrate' && <MigrateTenant tenant={tenant} onClose={close} />}
      {open === 'suspend' && (
        <ConfirmDanger
          action="Suspend"
          name={name}
          onConfirm={() => suspend.mutateAsync({ params: { id } })}
          onClose={close}
        >
          Suspending {name} stops {running_count} running instances, cancels its deployments and refuses new ones. Its
          data stays; resuming starts what ran.
        </ConfirmDanger>
      )}
      {open === 'delete' && (
        <ConfirmDanger
          action="Delete"
          name={name}
          onConfirm={async () => {
            await remove.mutateAsync({ params: { id }, query: { force } });
            toast(`${name} is deleted.`);
            await navigate({ to: '/tenants' });
          }}
          onClose={close}
        >
          <p className="mb-3">While something is defined for it, this is refused.</p>
          <CheckField
            label="Archive its definitions first"
            help="Their containers are removed; their volumes stay on the server."
            checked={force}
            onChange={setForce}
          />
        </ConfirmDanger>
      )}
    </>
  );
}
