import type { SavedConfig, SavedConfigCreate } from '@hortus/contract/resources/saved-configs';
import { type FormEvent, useState } from 'react';
import { createPortal } from 'react-dom';
import { problemText } from '../../../api/problem.ts';
import { useApiWhen, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { toast } from '../../../parts/toast.tsx';

/** Begins the form with a saved config, if the account has one for the species. */
export function StartFrom({
  species,
  value,
  onChoose,
}: {
  species: string;
  value: string | undefined;
  onChoose: (config: SavedConfig | undefined) => void;
}) {
  const may = useMay();
  // All of them: one read serves the pages of every species.
  const all = useApiWhen(may('configs:read'), 'saved-configs.list', { query: { per_page: 100 } }).data?.data ?? [];
  const configs = all.filter((item) => item.species === species);
  if (configs.length === 0) return null;
  return (
    <select
      className="input h-8! w-auto! text-sm"
      aria-label="Start from a saved config"
      value={value ?? ''}
      onChange={({ target }) => onChoose(configs.find(({ id }) => id === target.value))}
    >
      <option value="">No saved config</option>
      {configs.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Saves what was entered under a name, for later definitions. Passwords are stored encrypted. */
export function SaveConfig({ config }: { config: Omit<SavedConfigCreate, 'name'> }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may('configs:write')) return null;
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Save as config…
      </Button>
      {/* Not inside of the form that deploys: a form cannot stand in a form. */}
      {isOpen && createPortal(<SaveDialog config={config} onClose={() => setOpen(false)} />, document.body)}
    </>
  );
}

function SaveDialog({ config, onClose }: { config: Omit<SavedConfigCreate, 'name'>; onClose: () => void }) {
  const create = useOrder('saved-configs.create');
  const [name, setName] = useState('');
  async function save(event: FormEvent) {
    event.preventDefault();
    // React passes events of a portal on to the form that deploys.
    event.stopPropagation();
    if (name.trim() === '' || create.isPending) return;
    await create.mutateAsync({ body: { ...config, name: name.trim() } });
    toast(`${name.trim()} is saved. New definitions of ${config.species} can start from it.`);
    onClose();
  }
  return (
    <Dialog title="Save as config" onClose={onClose}>
      <form onSubmit={(event) => save(event).catch(() => undefined)}>
        <h2>Save as config</h2>
        <p className="mb-5 text-ink-2">The inputs, the profile and the variant; not the name and not the server.</p>
        <Field
          label="Name of the config"
          value={name}
          onChange={setName}
          autoComplete="off"
          autoFocus
          problem={create.error ? problemText(create.error) : undefined}
        />
        <div className="dialog-foot">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" busy={create.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
