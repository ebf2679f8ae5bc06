import type { BackupSettings } from '@hortus/contract/resources/backup-settings';
import { type FormEvent, useState } from 'react';
import { fieldProblem, problemText } from '../../../api/problem.ts';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/field.tsx';
import { Section } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast.tsx';

/** Words that a schedule may be; anything else is a cron expression. */
const WORDS = ['off', 'on', 'hourly', 'daily', 'weekly'] as const;
const CHOICES: Readonly<Record<string, string>> = {
  off: 'Never',
  on: 'As its template suggests',
  hourly: 'Every hour',
  daily: 'Every day',
  weekly: 'Every week',
  cron: 'A cron expression…',
};

/** When backups are made and verified, and how many are kept. */
export function Schedule({
  definition,
  hint,
  mayChange,
}: {
  definition: { id: string; name: string; backup: BackupSettings };
  hint: string | null;
  mayChange: boolean;
}) {
  const { backup } = definition;
  const [form, setForm] = useState({
    schedule: backup.schedule,
    verify: backup.verify,
    keep_last: String(backup.keep_last ?? ''),
    keep_days: String(backup.keep_days ?? ''),
  });
  const [problem, setProblem] = useState<unknown>();
  const update = useOrder('definitions.update');
  const wrong = fieldProblem(problem);
  const problemOf = (name: string) => (wrong?.field.endsWith(name) ? wrong.text : undefined);
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change });
  async function save(event: FormEvent) {
    event.preventDefault();
    const wishes = {
      schedule: form.schedule,
      verify: form.verify,
      keep_last: form.keep_last === '' ? null : Number(form.keep_last),
      keep_days: form.keep_days === '' ? null : Number(form.keep_days),
    };
    await update
      .mutateAsync({ params: { id: definition.id }, body: { backup: wishes } })
      .then(() => toast('The schedule is saved.'), setProblem);
  }
  return (
    <Section title="Schedule" note={hint ? `its template suggests ${hint}` : undefined}>
      <form className="sheet px-[18px] py-4" onSubmit={save}>
        <fieldset disabled={!mayChange}>
          <When
            label="Back up"
            value={form.schedule}
            onChange={(schedule) => set({ schedule })}
            problem={problemOf('schedule')}
          />
          <When
            label="Verify the newest"
            value={form.verify}
            onChange={(verify) => set({ verify })}
            problem={problemOf('verify')}
          />
          <div className="grid grid-cols-2 gap-4">
            <Field
              label="Keep the last"
              type="number"
              min={1}
              help="Scheduled ones; empty for all."
              value={form.keep_last}
              onChange={(keep_last) => set({ keep_last })}
              problem={problemOf('keep_last')}
            />
            <Field
              label="Keep for days"
              type="number"
              min={1}
              help="Empty for no limit."
              value={form.keep_days}
              onChange={(keep_days) => set({ keep_days })}
              problem={problemOf('keep_days')}
            />
          </div>
          {problem !== undefined && !wrong && (
            <p role="alert" className="help bad mb-3">
              {problemText(problem)}
            </p>
          )}
          {mayChange && (
            <Button type="submit" busy={update.isPending}>
              Save the schedule
            </Button>
          )}
        </fieldset>
      </form>
    </Section>
  );
}

function When({
  label,
  value,
  onChange,
  problem,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}) {
  const isWord = (WORDS as readonly string[]).includes(value);
  return (
    <>
      <label className="field">
        <span className="field-label">{label}</span>
        <select
          className="input"
          value={isWord ? value : 'cron'}
          onChange={(event) => onChange(event.target.value === 'cron' ? '0 3 * * *' : event.target.value)}
        >
          {[...WORDS, 'cron'].map((word) => (
            <option key={word} value={word}>
              {CHOICES[word]}
            </option>
          ))}
        </select>
      </label>
      {!isWord && (
        <Field
          label={`${label}: cron expression`}
          help="In UTC, for example 0 3 * * *."
          value={value}
          onChange={onChange}
          problem={problem}
        />
      )}
    </>
  );
}
