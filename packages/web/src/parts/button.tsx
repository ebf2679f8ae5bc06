import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type Kind = 'plain' | 'primary' | 'quiet' | 'danger' | 'danger-filled';

interface ButtonStyle {
  kind?: Kind;
  small?: boolean;
  /** For a button with only an icon; give it an aria-label. */
  square?: boolean;
}

const classNames = ({ kind = 'plain', small, square }: ButtonStyle, busy = false, more = ''): string =>
  ['btn', kind, small && 'small', square && 'square', busy && 'busy', more].filter(Boolean).join(' ');

/** A button. Busy keeps the width and takes no second click. A label that opens a form ends in "…". */
export function Button({
  kind,
  small,
  square,
  busy,
  className,
  children,
  onClick,
  ...rest
}: ButtonStyle & { busy?: boolean } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames({ kind, small, square }, busy, className)}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span>{children}</span> : children}
    </button>
  );
}

function Anchor({ kind, small, square, className, ...rest }: ButtonStyle & ComponentProps<'a'>) {
  return <a {...rest} className={classNames({ kind, small, square }, false, className)} />;
}

/** A link that looks like a button. */
export const ButtonLink = createLink(Anchor);
