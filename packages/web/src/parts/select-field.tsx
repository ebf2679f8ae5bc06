import { type ReactNode, useId } from 'react';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A choice among few: label above, help below. The browser draws the list, so it works on every device. */
export function SelectField({
  label,
  value,
  choices,
  help,
  problem,
  onChange,
}: {
  label: string;
  value: string;
  choices: readonly Choice[];
  help?: ReactNode;
  problem?: string | undefined;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const below = problem ?? help;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="input"
        value={value}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={below ? `${id}-below` : undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {below && (
        <p id={`${id}-below`} className={problem ? 'help bad' : 'help'}>
          {below}
        </p>
      )}
    </div>
  );
}
