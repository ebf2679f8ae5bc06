import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { toast } from '../../../parts/toast.tsx';
import { inputBody, type TypedInputs } from './upgrade-inputs.ts';

const TEXTS = {
  apply: {
    about:
      'First the backup that its template declares, then the deployment. If it becomes unhealthy, it is rolled back.',
    option: 'Rehearse it first, and stop if that fails',
  },
  rehearse: {
    about:
      'Restores the newest backup into a copy without a way out, and upgrades that. The running instance is not touched.',
    option: 'Make a new backup; the application is stopped while its volumes are copied',
  },
} as const;

/** Asks for what the newer version needs, then applies it, or rehearses that on a copy. */
export function ApplyUpgrade({
  upgrade,
  purpose,
  onClose,
}: {
  upgrade: Upgrade;
  purpose: keyof typeof TEXTS;
  onClose: () => void;
}) {
  const { id, instance_name, to_version, new_inputs, conflicts } = upgrade;
  const [typed, setTyped] = useState<TypedInputs>({});
  const [profile, setProfile] = useState('');
  const [variant, setVariant] = useState('');
  const [ignore, setIgnore] = useState(false);
  const [option, setOption] = useState(false);
  const [unprotected, setUnprotected] = useState(false);
  const apply = useOrder('upgrades.apply');
  const rehearse = useOrder('upgrades.rehearse');
  const has = (reason: Upgrade['conflicts'][number]['reason']) =>
    conflicts.some((conflict) => conflict.reason === reason);
  const { busy, submit, about, problem } = useSubmission(async () => {
    const body = {
      ...inputBody(upgrade, typed),
      ...(profile && { profile }),
      ...(has('variant_removed') && { variant: variant || null }),
      ...(ignore && { ignore_capacity: true }),
    };
    if (purpose === 'rehearse') {
      await rehearse.mutateAsync({ params: { id }, body: { ...body, ...(option && { fresh_backup: true }) } });
      toast(`The upgrade of ${instance_name} is rehearsed on a copy.`, { tone: 'now' });
    } else {
      await apply.mutateAsync({
        params: { id },
        body: { ...body, ...(option && { rehearse: true }), ...(unprotected && { without_backup: true }) },
      });
      toast(`${instance_name} is upgraded to ${to_version}.`, { tone: 'now' });
    }
    onClose();
  }, [...new_inputs.map(({ name }) => `inputs.${name}`), 'profile', 'variant']);
  const verb = purpose === 'rehearse' ? 'Rehearse' : 'Upgrade';
  const title =
    purpose === 'rehearse'
      ? `Rehearse the upgrade of ${instance_name} to ${to_version}`
      : `Upgrade ${instance_name} to ${to_version}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-5 text-ink-2">{TEXTS[purpose].about}</p>
        {new_inputs.map(({ name, label, description, required, default: standard, type }) => (
          <Field
            key={name}
            label={label ?? name}
            {...(!required && { note: 'optional' })}
            type={type === 'password' ? 'password' : 'text'}
            autoComplete="off"
            required={required}
            placeholder={standard === null ? '' : String(standard)}
            value={typed[name] ?? ''}
            onChange={(value) => setTyped({ ...typed, [name]: value })}
            problem={about(`inputs.${name}`)}
            help={description ?? undefined}
          />
        ))}
        {conflicts
          .filter(({ reason }) => reason === 'input_removed' || reason === 'input_invalid')
          .map(({ field, message }) => (
            <p key={field} className="mb-2 text-sm text-warn-ink">
              {message} The value is dropped.
            </p>
          ))}
        {has('profile_removed') && (
          <Field label="Profile" required value={profile} onChange={setProfile} problem={about('profile')} />
        )}
        {has('variant_removed') && (
          <Field
            label="Variant"
            note="empty is the default one"
            value={variant}
            onChange={setVariant}
            problem={about('variant')}
          />
        )}
        <CheckField label={TEXTS[purpose].option} checked={option} onChange={setOption} />
        {/* Data that is rebuilt needs the backup. */}
        {purpose === 'apply' && upgrade.data === 'kept' && (
          <CheckField
            label="Without a backup: nothing can bring the present data back"
            checked={unprotected}
            onChange={setUnprotected}
          />
        )}
        <CheckField label="Deploy although the reported room is too small" checked={ignore} onChange={setIgnore} />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {verb} {instance_name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
