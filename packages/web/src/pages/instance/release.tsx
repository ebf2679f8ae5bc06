import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useState } from 'react';
import { useOrder } from '../../api/query.ts';
import { counted } from '../../parts/amount.ts';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { toast } from '../../parts/toast.tsx';

/** Removes the containers; the volumes only if the person says so. */
export function Release({ about: { instance, backup }, onClose }: { about: InstanceOverview; onClose: () => void }) {
  const [removeVolumes, setRemoveVolumes] = useState(false);
  const release = useOrder('instances.release');
  const volumes = backup?.volumes ?? [];
  const confirm = volumes.filter(({ critical }) => critical).map(({ name }) => name);
  const count = Math.max(1, instance.components.length);
  return (
    <ConfirmDanger
      action="Release"
      name={instance.name}
      onClose={onClose}
      onConfirm={async () => {
        const body = removeVolumes ? { remove_volumes: true, confirm } : {};
        await release.mutateAsync({ params: { id: instance.id }, body });
        toast(`Releasing ${instance.name}.`);
      }}
    >
      <p>
        Releasing {instance.name} removes {counted(count, 'container')}.{' '}
        {removeVolumes
          ? `Its volumes are removed too, and with them its data${volumes.length > 0 ? `: ${volumes.map(({ name }) => name).join(', ')}` : ''}. Only a backup brings it back.`
          : 'Its volumes stay; a new deployment of its definition uses them again.'}
      </p>
      <label className="mt-3 flex items-center gap-2">
        <input type="checkbox" checked={removeVolumes} onChange={(event) => setRemoveVolumes(event.target.checked)} />
        Remove its volumes and all data in them
      </label>
    </ConfirmDanger>
  );
}
