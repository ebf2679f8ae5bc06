import type { RegisteredServer } from '@hortus/contract/resources/server-records';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { labelsFrom } from '../labels.ts';
import { ServerFields, type ServerValues, serverFieldNames } from '../server-fields.tsx';
import { WaitForServer } from './wait-for-server.tsx';

/** Registers a server, shows its key once with the line to paste, and waits until its daemon connects. */
export function RegisterServer({ onClose }: { onClose: () => void }) {
  const [registered, setRegistered] = useState<RegisteredServer>();
  const [isCluster, setIsCluster] = useState(false);
  const [values, setValues] = useState<ServerValues>({
    name: '',
    environment: 'production',
    description: '',
    labels: '',
    deploy_tests: false,
  });
  const register = useOrder('servers.register');
  const { busy, submit, about, problem } = useSubmission(async () => {
    const kind = isCluster ? 'cluster' : 'server';
    setRegistered((await register.mutateAsync({ body: { ...values, kind, labels: labelsFrom(values.labels) } })).data);
  }, serverFieldNames);
  if (registered) return <WaitForServer server={registered} onClose={onClose} />;
  return (
    <Dialog title="Register a server" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>Register a server</h2>
        <p className="mb-5 text-ink-2">
          Any Linux machine with Docker or Podman. Next you get one line to paste there.
        </p>
        <ServerFields values={values} onChange={setValues} about={about} />
        <CheckField
          label="Docker Swarm"
          help="Its managers are one server, with a daemon on each. The line is for the first; add the others later."
          checked={isCluster}
          onChange={setIsCluster}
        />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={values.name.trim() === ''}>
            Register and show the line
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
