import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { useServers } from '../../servers/known-servers.ts';

export function CreateTenant({ onClose }: { onClose: () => void }) {
  const { servers } = useServers();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const [chosen, setChosen] = useState('');
  const serverId = chosen || servers[0]?.id || '';
  const create = useOrder('tenants.create');
  const navigate = useNavigate();
  const { busy, submit, about, problem } = useSubmission(async () => {
    const body = { name, server_id: serverId, ...(slug && { slug }) };
    const { data } = await create.mutateAsync({ body });
    await navigate({ to: '/tenants/$id', params: { id: data.id } });
  }, ['name', 'server_id', 'slug']);
  return (
    <Dialog title="Create a tenant" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">Create a tenant</h2>
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
        <div className="pair">
          <SelectField
            label="Server"
            value={serverId}
            choices={servers.map((server) => ({ value: server.id, label: `${server.name}, ${server.status}` }))}
            onChange={setChosen}
            problem={about('server_id')}
          />
          <Field
            label="Short name"
            note="optional"
            maxLength={63}
            autoComplete="off"
            value={slug}
            onChange={setSlug}
            problem={about('slug')}
            help="Lower-case letters, digits and dashes."
          />
        </div>
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={name.trim() === '' || serverId === ''}>
            Create tenant
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
