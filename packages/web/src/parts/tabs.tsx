import { Link } from '@tanstack/react-router';
import { useCurrentSearch } from './list-search.ts';

export interface Tab {
  /** Value of `tab` in the URL; the first tab has none there. */
  readonly id: string;
  readonly name: string;
  readonly count?: number | undefined;
}

/** The chosen tab: `tab` of the URL if it is one of them, else the first. */
export function useTab(tabs: readonly Tab[]): string {
  const [{ tab }] = useCurrentSearch();
  return tabs.find(({ id }) => id === tab)?.id ?? (tabs[0]?.id as string);
}

/** Views of one page. They are links, so that each has an address and the back button works. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const chosen = useTab(tabs);
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ id, name, count }, place) => (
        <Link
          key={id}
          to="."
          search={place === 0 ? {} : { tab: id }}
          aria-current={id === chosen ? 'true' : undefined}
          activeOptions={{ exact: true }}
        >
          {name}
          {count !== undefined && <span>{count.toLocaleString()}</span>}
        </Link>
      ))}
    </nav>
  );
}
