import type { RotatedServer, Server } from '@hortus/contract/resources/server-records';
import { useRef, useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { CheckField } from '../../../parts/check-field.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';

/** Gives a server a new key. A connected daemon receives it by itself. */
export function RotateKey({ server, onClose }: { server: Server; onClose: () => void }) {
  const [force, setForce] = useState(false);
  const [rotated, setRotated] = useState<RotatedServer>();
  const isDone = useRef(false);
  const rotate = useOrder('servers.rotateKey');
  if (rotated)
    return (
      <ShownOnce
        title={`New key of ${server.name}`}
        secret={rotated.api_key}
        label="Copy server key"
        onStored={onClose}
      >
        {rotated.old_key === 'revoked'
          ? 'The old key no longer works. Put this one into /etc/hortusd/hortusd.env on the server as HORTUSD_KEY, and restart the daemon.'
          : 'The daemon receives it by itself, and the old key ends as soon as it uses the new one. Store it only if you need it elsewhere.'}
      </ShownOnce>
    );
  const confirm = async () => {
    const { data } = await rotate.mutateAsync({ params: { id: server.id }, query: { force } });
    isDone.current = true;
    setRotated(data);
  };
  // The confirmation also closes itself when it succeeded; then the new key must stay.
  const closed = () => {
    if (!isDone.current) onClose();
  };
  return (
    <ConfirmDanger action="Rotate the key of" name={server.name} onConfirm={confirm} onClose={closed}>
      <p className="mb-3">
        The daemon of {server.name} gets a new key. While it is connected it changes over by itself; otherwise you have
        to put the new key there.
      </p>
      <CheckField
        label="Revoke the old key at once"
        help="For a key that may be stolen. The daemon is cut off until it has the new key."
        checked={force}
        onChange={setForce}
      />
    </ConfirmDanger>
  );
}
