import type { NotificationChannel } from '@hortus/contract/resources/notification-channels';
import type { NotificationRule, RuleKind } from '@hortus/contract/resources/notifications';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { toggled } from '../../../parts/toggled.ts';
import { ruleKinds, type Threshold } from './rule-words.ts';

const KINDS = Object.keys(ruleKinds) as RuleKind[];
const LABELS: Readonly<Record<Threshold, { readonly label: string; readonly help?: string }>> = {
  types: { label: 'Types of events', help: 'Separated by commas; a final * matches any ending: audit.login_*' },
  percent: { label: 'Fuller than, in percent' },
  restarts: { label: 'Restarts' },
  minutes: { label: 'Minutes' },
  days: { label: 'Days before' },
};

/** Creates or changes a rule. */
export function RuleForm({
  rule,
  channels,
  onClose,
}: {
  rule?: NotificationRule;
  channels: readonly NotificationChannel[];
  onClose: () => void;
}) {
  const [kind, setKind] = useState<RuleKind>(rule?.kind ?? 'disk_above');
  const [name, setName] = useState(rule?.name ?? '');
  const [typed, setTyped] = useState<Partial<Record<Threshold, string>>>(() => typedOf(rule));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(rule?.channel_ids));
  const create = useOrder('notifications.createRule');
  const update = useOrder('notifications.updateRule');
  const { uses } = ruleKinds[kind];
  const names = Object.keys(uses) as Threshold[];
  const inputOf = (threshold: Threshold) => typed[threshold] ?? uses[threshold] ?? '';
  const { busy, submit, about, problem } = useSubmission(async () => {
    const thresholds = Object.fromEntries(
      names.map((name) => [
        name,
        name === 'types'
          ? inputOf(name)
              .split(/[\s,]+/)
              .filter(Boolean)
          : Number(inputOf(name)),
      ]),
    );
    const rest = { name, ...thresholds, channel_ids: [...chosen] };
    if (rule) await update.mutateAsync({ params: { id: rule.id }, body: rest });
    else await create.mutateAsync({ body: { kind, ...rest } });
    onClose();
  }, ['name', 'kind', 'channel_ids', ...names]);
  const toggle = (id: string) => setChosen(toggled(chosen, id));
  const title = rule ? `Edit ${rule.name}` : 'Add a rule';
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">{title}</h2>
        <Field
          label="Name"
          autoFocus
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={setName}
          problem={about('name')}
        />
        {rule ? (
          <Field
            label="Watches"
            note="cannot change later"
            disabled
            value={ruleKinds[kind].label}
            onChange={() => {}}
          />
        ) : (
          <SelectField
            label="Watches"
            value={kind}
            choices={KINDS.map((value) => ({ value, label: ruleKinds[value].label }))}
            onChange={(value) => setKind(value as RuleKind)}
            problem={about('kind')}
          />
        )}
        <div className={names.length > 1 ? 'pair' : ''}>
          {names.map((name) => (
            <Field
              key={name}
              label={LABELS[name].label}
              inputMode={name === 'types' ? 'text' : 'numeric'}
              required
              value={inputOf(name)}
              onChange={(value) => setTyped({ ...typed, [name]: value })}
              problem={about(name)}
              help={LABELS[name].help}
            />
          ))}
        </div>
        {channels.length > 0 && (
          <fieldset className="field">
            <legend className="field-label">Tells; none means all channels</legend>
            <div className="choices padded">
              {channels.map((channel) => (
                <CheckField
                  key={channel.id}
                  label={channel.name}
                  checked={chosen.has(channel.id)}
                  onChange={() => toggle(channel.id)}
                />
              ))}
            </div>
          </fieldset>
        )}
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={name.trim() === ''}>
            {rule ? 'Save' : 'Add rule'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function typedOf(rule: NotificationRule | undefined): Partial<Record<Threshold, string>> {
  if (!rule) return {};
  const { types, minutes, percent, restarts, days } = rule;
  const input = { types: types?.join(', '), minutes, percent, restarts, days };
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value != null)
      .map(([name, value]) => [name, String(value)]),
  );
}
