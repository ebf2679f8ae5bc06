import { type ConnectionAttribute, connectionClasses } from '@hortus/contract/resources/connection-classes';
import type { Connection } from '@hortus/contract/resources/connections';
import { useState } from 'react';
import { useOrder } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form/form-problem.tsx';
import { useSubmission } from '../../parts/form/submission.ts';
import { SelectField } from '../../parts/select-field.tsx';
import { toast } from '../../parts/toast.tsx';
import { attributesOf, changesOf, typedAgain } from './attribute-values.ts';
import { classLabel } from './class-label.ts';

const CLASSES = Object.keys(connectionClasses);

/** Saves or changes a connection. Secrets are never shown, so an empty field keeps the stored one. */
export function ConnectionForm({ connection, onClose }: { connection?: Connection; onClose: () => void }) {
  const [className, setClass] = useState(connection?.class ?? CLASSES[0] ?? '');
  const [name, setName] = useState(connection?.name ?? '');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({ ...connection?.attributes });
  const create = useOrder('connections.create');
  const update = useOrder('connections.update');
  const fields = fieldsOf(className, connection);
  const held = new Set(connection?.secret_attributes);
  const again = new Set(connection && typedAgain(connection, changesOf(fields, connection, typed)));
  const { busy, submit, about, problem } = useSubmission(async () => {
    if (connection) {
      const attributes = changesOf(fields, connection, typed);
      const { data } = await update.mutateAsync({ params: { id: connection.id }, body: { name, attributes } });
      const advice = data.used_by.length > 0 ? ' Deploy again what uses it.' : '';
      toast(`${name} is changed.${advice}`);
    } else {
      await create.mutateAsync({ body: { name, class: className, attributes: attributesOf(fields, typed) } });
      toast(`${name} is saved. Choose it when you deploy an application that needs it.`);
    }
    onClose();
  }, ['name', 'class', ...fields.map(([field]) => `attributes.${field}`)]);
  const title = connection ? `Edit ${connection.name}` : 'Save a connection';
  const isComplete =
    name.trim() !== '' &&
    again.size === 0 &&
    fields.every(([field, { required }]) => !required || typed[field]?.trim() || held.has(field));
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">{title}</h2>
        <div className="pair">
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
          {connection ? (
            <Field label="Kind" note="cannot change later" disabled value={classLabel(className)} onChange={() => {}} />
          ) : (
            <SelectField
              label="Kind"
              value={className}
              choices={CLASSES.map((value) => ({ value, label: classLabel(value) }))}
              onChange={setClass}
              problem={about('class')}
            />
          )}
        </div>
        {fields.map(([field, attribute]) => (
          <AttributeField
            key={field}
            attribute={attribute}
            held={held.has(field)}
            again={again.has(field)}
            value={typed[field] ?? ''}
            problem={about(`attributes.${field}`)}
            onChange={(value) => setTyped({ ...typed, [field]: value })}
          />
        ))}
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!isComplete}>
            {connection ? 'Save' : 'Save connection'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type NamedAttribute = readonly [name: string, attribute: ConnectionAttribute];

/** Attributes of the class; those that an unlisted class was saved with. */
function fieldsOf(className: string, connection: Connection | undefined): readonly NamedAttribute[] {
  const known = Object.hasOwn(connectionClasses, className) ? connectionClasses[className] : undefined;
  if (known) return Object.entries(known.attributes);
  return [
    ...Object.keys(connection?.attributes ?? {}).map((name): NamedAttribute => [name, { label: name }]),
    ...(connection?.secret_attributes ?? []).map((name): NamedAttribute => [name, { label: name, secret: true }]),
  ];
}

function AttributeField({
  attribute: { label, required, secret, placeholder, options },
  held,
  again,
  value,
  problem,
  onChange,
}: {
  attribute: ConnectionAttribute;
  /** Whether a secret is stored already. */
  held: boolean;
  /** Whether it must be typed again, because a change decides where it is sent. */
  again: boolean;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}) {
  if (options)
    return (
      <SelectField
        label={label}
        value={value}
        choices={[{ value: '', label: 'Not set' }, ...options.map((option) => ({ value: option, label: option }))]}
        problem={problem}
        onChange={onChange}
      />
    );
  const note = again
    ? 'type it again: it is sent to the new address'
    : held
      ? 'empty keeps it'
      : required
        ? undefined
        : 'optional';
  return (
    <Field
      label={label}
      {...(note && { note })}
      type={secret ? 'password' : 'text'}
      autoComplete={secret ? 'new-password' : 'off'}
      spellCheck={false}
      {...(placeholder && { placeholder })}
      value={value}
      onChange={onChange}
      problem={problem}
    />
  );
}
