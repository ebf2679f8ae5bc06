import { type ReactNode, useEffect } from 'react';

/** A page: its title, a sentence first, its actions at the right, then its content. */
export function Page({
  title,
  sentence,
  actions,
  children,
}: {
  /** Of the browser tab. */
  title: string;
  /** The heading, as a person would say it; by default the title. */
  sentence?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Hortus`;
  }, [title]);
  return (
    <div className="page">
      <header className="mb-6 flex flex-col gap-3.5 phone:flex-row phone:items-end phone:gap-6">
        <h1 className="min-w-0 flex-1">{sentence ?? title}</h1>
        {actions && <div className="flex flex-wrap items-center gap-3">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with its heading and, at the right, a link to all of it. */
export function Section({
  title,
  note,
  more,
  children,
  className = '',
}: {
  title: string;
  note?: ReactNode;
  more?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={className}>
      <div className="mb-3 flex items-baseline justify-between text-sm [&>a]:text-link">
        <h2>
          {title} {note && <small className="text-sm font-[450] text-ink-3">{note}</small>}
        </h2>
        {more}
      </div>
      {children}
    </section>
  );
}

/** What a list shows while it has nothing: what would be there, and how it gets there. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <p className="font-serif text-xl">{title}</p>
      <p className="mt-1 mb-4 max-w-[62ch] text-ink-2">{children}</p>
      {action}
    </div>
  );
}
