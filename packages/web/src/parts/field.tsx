import { type ComponentProps, type ReactNode, useId, useState } from 'react';

/**
 * A text field: label above, help below, checked while typing after the first blur. `check` returns what is wrong;
 * `problem` is what the service said about it.
 */
export function Field({
  label,
  note,
  help,
  check,
  problem,
  value,
  onChange,
  ...rest
}: {
  label: string;
  /** Beside the label, for example "cannot change later". */
  note?: string;
  help?: ReactNode;
  check?: (value: string) => string | undefined;
  problem?: string | undefined;
  value: string;
  onChange: (value: string) => void;
} & Omit<ComponentProps<'input'>, 'onChange' | 'value'>) {
  const id = useId();
  const [left, setLeft] = useState(false);
  const wrong = problem ?? (left ? check?.(value) : undefined);
  const below = wrong ?? help;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
        {note && <small>{note}</small>}
      </label>
      <input
        {...rest}
        id={id}
        className="input"
        value={value}
        aria-invalid={wrong !== undefined || undefined}
        aria-describedby={below ? `${id}-below` : undefined}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => setLeft(value !== '')}
      />
      {below && (
        <p id={`${id}-below`} className={wrong ? 'help bad' : 'help'}>
          {below}
        </p>
      )}
    </div>
  );
}
