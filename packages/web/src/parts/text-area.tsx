import { type ComponentProps, type ReactNode, useId } from 'react';

/** A text of several lines: label above, help below. */
export function TextArea({
  label,
  note,
  help,
  problem,
  value,
  onChange,
  mono,
  ...rest
}: {
  label: string;
  note?: string;
  help?: ReactNode;
  problem?: string | undefined;
  value: string;
  onChange: (value: string) => void;
  /** For what a machine reads. */
  mono?: boolean;
} & Omit<ComponentProps<'textarea'>, 'onChange' | 'value'>) {
  const id = useId();
  const below = problem ?? help;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
        {note && <small>{note}</small>}
      </label>
      <textarea
        rows={4}
        {...rest}
        id={id}
        className={mono ? 'input area font-mono text-sm' : 'input area'}
        spellCheck={!mono}
        value={value}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={below ? `${id}-below` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {below && (
        <p id={`${id}-below`} className={problem ? 'help bad' : 'help'}>
          {below}
        </p>
      )}
    </div>
  );
}
