import type { Permission } from '@hortus/contract/permissions';
import type { CreatedApiKey } from '@hortus/contract/resources/keys';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { type Expiry, expiryChoices, expiryTime } from './expiry.ts';
import { PermissionGrid, readOnly, useGrantable } from './permission-grid.tsx';

const SECRET: readonly Permission[] = ['data:export', 'secrets:write', 'admin'];

/** Creates a key and shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiKey>();
  if (created)
    return (
      <ShownOnce title={`${created.name} is ready`} secret={created.key} label="Copy key" onStored={onClose}>
        This is the only time that the key is shown. Store it where your program reads it: an environment variable or a
        secret store, not a file under version control.
      </ShownOnce>
    );
  return <KeyForm onCreated={setCreated} onClose={onClose} />;
}

function KeyForm({ onCreated, onClose }: { onCreated: (key: CreatedApiKey) => void; onClose: () => void }) {
  const grantable = useGrantable();
  const [now] = useState(Date.now);
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [date, setDate] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set());
  const [networks, setNetworks] = useState('');
  const create = useOrder('keys.create');
  const expiresAt = expiryTime(expiry, date, now);
  const { busy, submit, about, problem } = useSubmission(async () => {
    const cidrs = networks.split(/[\s,]+/).filter(Boolean);
    const body = {
      name,
      permissions: grantable.filter((item) => chosen.has(item)),
      expires_at: expiresAt ?? null,
      ...(cidrs.length > 0 && { allowed_cidrs: cidrs }),
    };
    onCreated((await create.mutateAsync({ body })).data);
  }, ['name', 'permissions', 'expires_at', 'allowed_cidrs']);
  const isComplete = name.trim() !== '' && chosen.size > 0 && expiresAt !== undefined;
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>Create an API key</h2>
        <p className="mb-5 text-ink-2">Give it the least it needs. You can revoke it at any time.</p>
        <div className="pair">
          <Field
            label="Name"
            name="key-name"
            autoFocus
            required
            maxLength={120}
            autoComplete="off"
            value={name}
            onChange={setName}
            problem={about('name')}
          />
          <SelectField
            label="Expires"
            value={expiry}
            choices={expiryChoices(now)}
            onChange={(value) => setExpiry(value as Expiry)}
            problem={about('expires_at')}
          />
        </div>
        {expiry === 'date' && (
          <Field label="Last day" type="date" required value={date} onChange={setDate} problem={about('expires_at')} />
        )}
        <fieldset className="field">
          <legend className="field-label w-full">
            May
            <span className="flex gap-3">
              <button type="button" className="link" onClick={() => setChosen(new Set(readOnly(grantable)))}>
                Start from: read only
              </button>
              {chosen.size > 0 && (
                <button type="button" className="link" onClick={() => setChosen(new Set())}>
                  Clear
                </button>
              )}
            </span>
          </legend>
          <PermissionGrid chosen={chosen} onChange={setChosen} />
          {about('permissions') && <p className="help bad">{about('permissions')}</p>}
        </fieldset>
        <Field
          label="Only from"
          note="optional, CIDR"
          autoComplete="off"
          spellCheck={false}
          placeholder="198.51.100.0/24"
          value={networks}
          onChange={setNetworks}
          problem={about('allowed_cidrs')}
          help="Networks from which the key is accepted, separated by commas. Empty: from everywhere."
        />
        <FormProblem text={problem} />
        <div className="dialog-foot items-center">
          <span className="flex-1 text-sm text-ink-3">{summary(chosen)}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!isComplete}>
            Create and show key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** "5 permissions, no access to secrets": what the form grants so far. */
function summary(chosen: ReadonlySet<Permission>): string {
  if (chosen.size === 0) return 'Choose at least one permission.';
  const reach = SECRET.some((name) => chosen.has(name)) ? 'with access to secrets' : 'no access to secrets';
  return `${counted(chosen.size, 'permission')}, ${reach}`;
}
