import type { ReactNode } from 'react';

/** The first cell of a row: its name, and on a phone what the hidden columns say. */
export function Named({ children, also }: { children: ReactNode; also: ReactNode }) {
  return (
    <span className="block min-w-0">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 [overflow-wrap:anywhere]">{children}</span>
      <span className="block text-xs text-ink-3 phone:hidden">{also}</span>
    </span>
  );
}
