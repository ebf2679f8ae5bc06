import { installCommand } from '@hortus/client/install-line';
import type { AddedClusterMember } from '@hortus/contract/resources/clusters';
import type { Server } from '@hortus/contract/resources/server-records';
import { useState } from 'react';
import { useOrder } from '../../../../api/query.ts';
import { Button } from '../../../../parts/button.tsx';
import { Dialog } from '../../../../parts/dialog.tsx';
import { Field } from '../../../../parts/field.tsx';
import { FormProblem } from '../../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../../parts/form/submission.ts';
import { ShownOnce } from '../../../../parts/shown-once.tsx';

/** Adds a manager to a cluster, and shows its key once with the command that connects its daemon. */
export function AddMember({ server, onClose }: { server: Server; onClose: () => void }) {
  const [name, setName] = useState('');
  const [added, setAdded] = useState<AddedClusterMember>();
  const add = useOrder('clusters.addMember');
  const { busy, submit, about, problem } = useSubmission(async () => {
    setAdded((await add.mutateAsync({ params: { id: server.id }, body: { name } })).data);
  }, ['name']);
  if (added)
    return (
      <ShownOnce
        title={`Connect ${added.name}`}
        secret={installCommand(location.origin, { ...added, id: server.id, kind: server.kind })}
        label="Copy command"
        onStored={onClose}
      >
        Run this command on the manager, where hortusd is installed. It contains the key of this member, which is shown
        only now.
      </ShownOnce>
    );
  return (
    <Dialog title="Add a member" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>Add a member</h2>
        <p className="mb-5 text-ink-2">
          A daemon on another manager of {server.name}. It takes over when the leading one is lost.
        </p>
        <Field
          label="Name"
          autoFocus
          required
          maxLength={120}
          autoComplete="off"
          value={name}
          onChange={setName}
          problem={about('name')}
        />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={name.trim() === ''}>
            Add and show the command
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
