import type { Deployment } from '@hortus/contract/resources/deployment-records';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { toast } from '../../parts/toast.tsx';

/** Returns to the revision that ran before a deployment, with or without its data. */
export function RollBack({ deployment, name, onClose }: { deployment: Deployment; name: string; onClose: () => void }) {
  const [withData, setWithData] = useState(false);
  const may = useMay();
  const rollback = useOrder('deployments.rollback');
  const navigate = useNavigate();
  return (
    <ConfirmDanger
      action="Roll back"
      name={name}
      onClose={onClose}
      onConfirm={async () => {
        const { data } = await rollback.mutateAsync({ params: { id: deployment.id }, body: { with_data: withData } });
        toast(`Rolling ${name} back to revision ${data.revision}.`);
        await navigate({ to: '/deployments/$id', params: { id: data.id } });
      }}
    >
      <p>
        {name} returns to the last revision that ran before revision {deployment.revision}.{' '}
        {withData
          ? 'Its data returns to the backup made before that revision was replaced; the present data is backed up first.'
          : 'Its data stays as it is now.'}
      </p>
      {may('backups:restore') && (
        <label className="mt-3 flex items-center gap-2">
          <input type="checkbox" checked={withData} onChange={(event) => setWithData(event.target.checked)} />
          Return the data as well
        </label>
      )}
    </ConfirmDanger>
  );
}
