import { Field } from './field.tsx';

/** A value that a template declares: an input of a definition, or a parameter of an action. */
interface Declared {
  readonly name: string;
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly type: string;
  readonly options?: readonly { readonly value: string; readonly label?: string | undefined }[] | undefined;
}

const FIELD_TYPES: Readonly<Record<string, string>> = {
  password: 'password',
  email: 'email',
  number: 'number',
  integer: 'number',
  port: 'number',
};

/** The field of a declared value, which is a text whatever its type is. */
export function DeclaredField({
  declared: { name, label = name, description, type, options },
  value,
  standard = '',
  onChange,
  problem,
  disabled,
  placeholder = standard || undefined,
  ...line
}: {
  declared: Declared;
  value: string;
  /** The value that counts while the field is empty. */
  standard?: string;
  onChange: (value: string) => void;
  problem: string | undefined;
  disabled?: boolean | undefined;
  note?: string | undefined;
  placeholder?: string | undefined;
  check?: (value: string) => string | undefined;
}) {
  if (type === 'boolean')
    return (
      <label className="field flex items-baseline gap-2">
        <input
          type="checkbox"
          checked={(value || standard) === 'true'}
          disabled={disabled}
          onChange={(event) => onChange(String(event.target.checked))}
        />
        <span>
          {label}
          <small className="block text-ink-3">{description}</small>
        </span>
      </label>
    );
  if (options)
    return (
      <label className="field">
        <span className="field-label">{label}</span>
        <select
          className="input"
          value={value || standard}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        >
          {!(value || standard) && <option value="">Choose one</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label ?? option.value}
            </option>
          ))}
        </select>
        {problem && <span className="help bad">{problem}</span>}
      </label>
    );
  return (
    <Field
      label={label}
      help={description}
      type={FIELD_TYPES[type] ?? 'text'}
      autoComplete={type === 'password' ? 'new-password' : 'off'}
      placeholder={placeholder}
      disabled={disabled}
      value={value}
      onChange={onChange}
      problem={problem}
      {...line}
    />
  );
}
