import { useEffect, useState } from 'react';
import { FilterSelect } from './filter-choice.tsx';
import { Icon } from './icon.tsx';
import { type FilterName, useCurrentSearch } from './list-search.ts';

const PAUSE_MS = 250;

/** Searches the page; `/` focuses it. The text is in the URL as `q`, once typing pauses. */
export function SearchField({ label }: { label: string }) {
  const [{ q = '' }, change] = useCurrentSearch();
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text === q) return undefined;
    const timer = setTimeout(() => change({ q: text }), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <label className="search-field">
      <Icon name="search" />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

/** One filter of a list by its states or kinds, in the URL under its name. The first option is "all". */
export const Filter = ({ name, label, options }: { name: FilterName; label: string; options: readonly string[] }) => (
  <FilterSelect
    name={name}
    label={label}
    all={`${label}: all`}
    choices={options.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
  />
);
