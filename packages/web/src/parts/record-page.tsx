import { type ReactNode, useEffect } from 'react';

/** The page of one record: the way to it, its picture, its name, a line about it, and what can be done. */
export function RecordPage({
  title,
  crumbs,
  picture,
  heading,
  lead,
  actions,
  children,
}: {
  /** Of the browser tab. */
  title: string;
  /** Links to the pages above it. */
  crumbs: readonly ReactNode[];
  picture?: ReactNode;
  /** By default the title. */
  heading?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Hortus`;
  }, [title]);
  return (
    <div className="page">
      <nav aria-label="Breadcrumb">
        <ol className="mb-2.5 flex flex-wrap items-center gap-[7px] text-sm text-ink-2 [&_a:hover]:underline">
          {crumbs.map((crumb, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the way to a record has a fixed order
            <li key={place} className="flex items-center gap-[7px]">
              {place > 0 && (
                <span aria-hidden="true" className="text-ink-3">
                  ›
                </span>
              )}
              {crumb}
            </li>
          ))}
        </ol>
      </nav>
      <header className="mb-6 flex flex-col gap-3.5 phone:flex-row phone:items-end phone:gap-6">
        {picture}
        <div className="min-w-0 flex-1">
          <h1 className="[overflow-wrap:anywhere]">{heading ?? title}</h1>
          {lead && <div className="mt-1.5 max-w-[62ch] text-ink-2">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-3 max-phone:[&>*]:flex-1">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
