import type { Definition, Secret } from '@hortus/contract/resources/definition-records';
import { type FormEvent, useState } from 'react';
import { problemText } from '../../api/problem.ts';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Copied } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Empty } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { useRedeploy } from '../instance/redeploy.ts';

const KINDS: Readonly<Record<Secret['kind'], string>> = {
  generated: 'made by Hortus',
  input: 'a password setting',
  external: 'given by you',
};

type Row = Secret & { readonly id: string };

/** The names of the secrets. Generated ones can be shown and rotated, others set. */
export function SecretsTab({ definition }: { definition: Definition }) {
  const [{ page = 1 }] = useListSearch('/frame/definitions/$id');
  const query = useApi('definitions.secrets', { params: { id: definition.id }, query: { page } });
  const [setting, setSetting] = useState<string>();
  const columns: readonly Column<Row>[] = [
    { name: 'Name', cell: ({ name }) => <code className="font-[550]">{name}</code> },
    { name: 'Kind', wide: true, cell: ({ kind }) => KINDS[kind] },
    { name: 'State', cell: ({ set }) => <Status state={set ? 'set' : 'missing'} tone={set ? 'ok' : 'warn'} /> },
    { name: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} ago /> },
    {
      name: '',
      cell: (secret) => (
        <span className="row-actions flex justify-end gap-2">
          {secret.kind === 'generated' && secret.set && <Show definition={definition} name={secret.name} />}
          <Change definition={definition} secret={secret} onSet={setSetting} />
        </span>
      ),
    },
  ];
  return (
    <Loaded query={query} lines={6}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty title="No secrets.">Passwords and keys that its template declares would be listed here by name.</Empty>
        ) : (
          <>
            <p className="mb-4 text-ink-2">
              Values are stored encrypted. Showing one is recorded. A new one takes effect when the new revision is
              deployed.
            </p>
            <Table
              label="Secrets"
              columns={columns}
              rows={data.map((item) => ({ ...item, id: item.name }))}
              pagination={pagination}
            />
            {setting && <SetSecret definition={definition} name={setting} onClose={() => setSetting(undefined)} />}
          </>
        )
      }
    </Loaded>
  );
}

/** Shows a generated value in a dialog, until that is closed. */
function Show({ definition: { id }, name }: { definition: Definition; name: string }) {
  const may = useMay();
  const reveal = useOrder('vault.reveal');
  const [value, setValue] = useState<string>();
  if (!may('data:export')) return null;
  const order = () =>
    reveal
      .mutateAsync({ params: { id, name } })
      .then(({ data }) => setValue(data.value))
      .catch(toastProblem(`Could not show ${name}.`));
  return (
    <>
      <Button small busy={reveal.isPending} aria-label={`Show ${name}`} onClick={order}>
        Show
      </Button>
      {value !== undefined && (
        <Dialog title={name} onClose={() => setValue(undefined)}>
          <h2>{name}</h2>
          <p className="mb-4 text-ink-2">The list of accesses says that you have seen it.</p>
          <Copied text={value} label={`Copy ${name}`} />
          <div className="dialog-foot">
            <Button kind="primary" onClick={() => setValue(undefined)}>
              Close
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Change({
  definition,
  secret,
  onSet,
}: {
  definition: Definition;
  secret: Secret;
  onSet: (name: string) => void;
}) {
  const may = useMay();
  const rotate = useOrder('vault.rotateSecret');
  const changed = useChanged(definition);
  if (!may('secrets:write')) return null;
  if (secret.kind !== 'generated')
    return (
      <Button small onClick={() => onSet(secret.name)}>
        {secret.set ? 'Replace…' : 'Set…'}
      </Button>
    );
  const order = () =>
    rotate
      .mutateAsync({ params: { id: definition.id, name: secret.name } })
      .then(({ data }) =>
        changed(
          data.revision,
          data.secrets.map(({ name }) => name),
        ),
      )
      .catch(toastProblem(`Could not rotate ${secret.name}.`));
  return (
    <Button small busy={rotate.isPending} onClick={order}>
      Rotate
    </Button>
  );
}

/** Says what happened and offers to deploy it. */
function useChanged({ id, name }: Definition) {
  const may = useMay();
  const deploy = useRedeploy(id, name);
  return (revision: number, secrets: readonly string[]) =>
    toast(`Revision ${revision} has a new ${secrets.join(', ')}.`, {
      action: may('deployments:execute') ? { label: 'Deploy it', run: () => void deploy() } : undefined,
    });
}

function SetSecret({ definition, name, onClose }: { definition: Definition; name: string; onClose: () => void }) {
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const set = useOrder('vault.set');
  const changed = useChanged(definition);
  async function save(event: FormEvent) {
    event.preventDefault();
    try {
      const { data } = await set.mutateAsync({ params: { id: definition.id, name }, body: { value } });
      changed(data.revision, [name]);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  }
  return (
    <Dialog title={`Set ${name}`} onClose={onClose}>
      <form onSubmit={save}>
        <h2>Set {name}</h2>
        <p className="mb-5 text-ink-2">It is stored encrypted and cannot be read again, not even by you.</p>
        <Field
          label="Value"
          type="password"
          autoComplete="new-password"
          value={value}
          onChange={setValue}
          problem={problem === undefined ? undefined : problemText(problem)}
        />
        <div className="dialog-foot">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={value === ''} busy={set.isPending}>
            Set {name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
