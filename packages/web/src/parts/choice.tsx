import { useId } from 'react';

/** One of a few values, as a row of segments; arrow keys move, as in every group of radio buttons. */
export function Choice<Value extends string>({
  label,
  value,
  values,
  onChange,
  hideLabel = false,
}: {
  label: string;
  value: Value;
  values: readonly { readonly value: Value; readonly label: string }[];
  onChange: (value: Value) => void;
  hideLabel?: boolean;
}) {
  const name = useId();
  return (
    <fieldset className="field">
      <legend className={hideLabel ? 'sr-only' : 'field-label'}>{label}</legend>
      <div className="segments">
        {values.map(({ value: item, label: text }) => (
          <label key={item}>
            <input
              type="radio"
              className="sr-only"
              name={name}
              value={item}
              checked={item === value}
              onChange={() => onChange(item)}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
