import { useEffect, useState } from 'react';
import { useListSearch } from './list-search.ts';
import type { Choice } from './select-field.tsx';

/** A choice that is kept in the URL; the empty one shows everything. */
export function FilterSelect({
  name,
  label,
  all,
  choices,
}: {
  name: string;
  label: string;
  /** Words of the choice that filters nothing: "All states". */
  all: string;
  choices: readonly Choice[];
}) {
  const [search, change] = useListSearch();
  return (
    <select
      className="input filter"
      aria-label={label}
      value={String(search[name] ?? '')}
      onChange={(event) => change({ [name]: event.target.value })}
    >
      <option value="">{all}</option>
      {choices.map(({ value, label: words }) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

const PAUSE_MS = 300;

/** A text that is kept in the URL once the typing pauses. The key `/` goes to the first one of the page. */
export function FilterText({ name, label, placeholder }: { name: string; label: string; placeholder: string }) {
  const [search, change] = useListSearch();
  const given = String(search[name] ?? '');
  const [typed, setTyped] = useState(given);
  const [shown, setShown] = useState(given);
  // A link or the back button changed it.
  if (given !== shown) {
    setShown(given);
    setTyped(given);
  }
  useEffect(() => {
    if (typed === given) return undefined;
    const timer = setTimeout(() => change({ [name]: typed.trim() }), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <input
      type="search"
      className="input filter"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
