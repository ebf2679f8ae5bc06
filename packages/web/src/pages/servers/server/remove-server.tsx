import type { Server } from '@hortus/contract/resources/server-records';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { CheckField } from '../../../parts/check-field.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { toast } from '../../../parts/toast.tsx';

export function RemoveServer({ server: { id, name }, onClose }: { server: Server; onClose: () => void }) {
  const [force, setForce] = useState(false);
  const remove = useOrder('servers.delete');
  const navigate = useNavigate();
  const confirm = async () => {
    await remove.mutateAsync({ params: { id }, query: { force } });
    toast(`${name} is removed.`);
    await navigate({ to: '/servers' });
  };
  return (
    <ConfirmDanger action="Remove" name={name} onConfirm={confirm} onClose={onClose}>
      <p className="mb-3">
        Its key stops working at once. Containers on it are left alone. While something is defined for it, this is
        refused.
      </p>
      <CheckField
        label="Remove it although something is defined for it"
        help="The definitions are archived, and their containers stay on the machine without anybody watching them."
        checked={force}
        onChange={setForce}
      />
    </ConfirmDanger>
  );
}
