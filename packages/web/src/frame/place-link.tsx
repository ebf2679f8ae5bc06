import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useHasPlace } from './places.ts';

/** A link to a page by its pattern; plain text while that page does not exist. */
export function PlaceLink({
  to,
  params,
  search,
  className,
  title,
  children,
}: {
  to: string;
  params?: Readonly<Record<string, string>>;
  search?: Readonly<Record<string, string>>;
  className?: string;
  title?: string;
  children: ReactNode;
}) {
  const exists = useHasPlace()(to);
  const shared = { className, title };
  if (!exists) return <span {...shared}>{children}</span>;
  const target = { to, params, search } as unknown as { to: '/' };
  return (
    <Link {...target} {...shared}>
      {children}
    </Link>
  );
}
