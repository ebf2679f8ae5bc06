import { mark } from '@hortus/template/marks/mark';
import { memo, useLayoutEffect, useRef } from 'react';

/**
 * The drawing of a species; decorative, so always beside a name. The markup comes from our own generator, which writes
 * nothing of the slug into it.
 */
export const Mark = memo(function Mark({
  species,
  family,
  size,
}: {
  species: string;
  family: string | null;
  size: number;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const drawing = mark(species, family ?? 'unknown', { size, theme: 'page' });
  useLayoutEffect(() => {
    if (place.current) place.current.innerHTML = drawing;
  }, [drawing]);
  return <span ref={place} className="block flex-none" data-mark={size} aria-hidden="true" />;
});
