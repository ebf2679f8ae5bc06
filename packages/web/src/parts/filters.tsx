import { useEffect, useState } from 'react';
import { Icon } from './icon.tsx';
import { useListSearch } from './list-search.ts';

const PAUSE_MS = 250;

/** Searches the page; `/` focuses it. The text is in the URL as `q`, once typing pauses. */
export function SearchField({ label }: { label: string }) {
  const [{ q = '' }, change] = useListSearch();
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

/** One filter of a list, in the URL under its name. The first option is "all". */
export function Filter({ name, label, options }: { name: string; label: string; options: readonly string[] }) {
  const [search, change] = useListSearch();
  return (
    <select
      className="input filter"
      aria-label={label}
      value={search[name] ?? ''}
      onChange={(event) => change({ [name]: event.target.value || undefined })}
    >
      <option value="">{label}: all</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {option.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  );
}
