import type { ReactNode } from 'react';

/** A checkbox with its words beside it, and what they mean below. */
export function CheckField({
  label,
  help,
  checked,
  onChange,
}: {
  label: ReactNode;
  help?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="check-field">
      <input type="checkbox" className="check" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {label}
        {help && <small>{help}</small>}
      </span>
    </label>
  );
}
