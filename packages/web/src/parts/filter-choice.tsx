import { useEffect, useState } from 'react';
import { type FilterName, useCurrentSearch } from './list-search.ts';
import type { Choice } from './select-field.tsx';

/** A choice that is kept in the URL; the empty one shows everything. */
export function FilterSelect({
  name,
  label,
  all,
  choices,
}: {
  name: FilterName;
  label: string;
  /** Words of the choice that filters nothing: "All states". */
  all: string;
  choices: readonly Choice[];
}) {
  const [search, change] = useCurrentSearch();
  return (
    <select
      className="input filter"
      aria-label={label}
      value={search[name] ?? ''}
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
export function FilterText({ name, label, placeholder }: { name: FilterName; label: string; placeholder: string }) {
  const [search, change] = useCurrentSearch();
  const entered = search[name] ?? '';
  const [typed, setTyped] = useState(entered);
  const [shown, setShown] = useState(entered);
  // A link or the back button changed it.
  if (entered !== shown) {
    setShown(entered);
    setTyped(entered);
  }
  useEffect(() => {
    if (typed === entered) return undefined;
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
