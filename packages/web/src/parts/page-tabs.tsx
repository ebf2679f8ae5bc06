import { Link } from '@tanstack/react-router';
import type { PagePath } from './page-path.ts';

export interface PageTab {
  readonly name: string;
  readonly to: PagePath;
  readonly count?: number | undefined;
}

/** Pages that belong together, as tabs. Each is a page of its own, so that the URL names it. */
export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ name, to, count }) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
          {count !== undefined && <span>{count.toLocaleString()}</span>}
        </Link>
      ))}
    </nav>
  );
}
