import type { User } from '@hortus/contract/resources/sign-in';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { CheckField } from '../../../parts/check-field.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { toast } from '../../../parts/toast.tsx';

export function RemoveMember({ user: { id, email }, onClose }: { user: User; onClose: () => void }) {
  const [keep, setKeep] = useState(false);
  const remove = useOrder('members.remove');
  const confirm = async () => {
    await remove.mutateAsync({ params: { id }, query: { keys: keep ? 'keep' : 'revoke' } });
    toast(`${email} is removed.`);
  };
  return (
    <ConfirmDanger action="Remove" name={email} onConfirm={confirm} onClose={onClose}>
      <p className="mb-3">
        Their sessions end at once. The keys that they created are revoked, and programs that use them stop working.
      </p>
      <CheckField
        label="Keep the keys that they created"
        help="They stay valid until they are revoked."
        checked={keep}
        onChange={setKeep}
      />
    </ConfirmDanger>
  );
}
