import type { Server } from '@hortus/contract/resources/server-records';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { labelsFrom, labelText } from '../labels.ts';
import { ServerFields, type ServerValues, serverFieldNames } from '../server-fields.tsx';

export function EditServer({ server, onClose }: { server: Server; onClose: () => void }) {
  const { id, name, environment, description, deploy_tests, labels } = server;
  const [values, setValues] = useState<ServerValues>({
    name,
    environment,
    description: description ?? '',
    labels: labelText(labels),
    deploy_tests,
  });
  const update = useOrder('servers.update');
  const { busy, submit, about, problem } = useSubmission(async () => {
    await update.mutateAsync({
      params: { id },
      body: { ...values, labels: labelsFrom(values.labels), description: values.description || null },
    });
    onClose();
  }, serverFieldNames);
  return (
    <Dialog title={`Edit ${name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">Edit {name}</h2>
        <ServerFields values={values} onChange={setValues} about={about} />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={values.name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
