import { mark } from '@hortus/template/marks/mark';
import { memo, useLayoutEffect, useRef } from 'react';

/** Drawn once for each species and size: rows of a long list only copy it. */
const drawn = new Map<string, DocumentFragment>();

function drawingOf(species: string, family: string, size: number): Node {
  const key = `${size} ${family} ${species}`;
  let drawing = drawn.get(key);
  if (!drawing) {
    const template = document.createElement('template');
    template.innerHTML = mark(species, family, { size, theme: 'page' });
    drawing = template.content;
    drawn.set(key, drawing);
  }
  return drawing.cloneNode(true);
}

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
  useLayoutEffect(() => {
    place.current?.replaceChildren(drawingOf(species, family ?? 'unknown', size));
  }, [species, family, size]);
  return <span ref={place} className="block flex-none" data-mark={size} aria-hidden="true" />;
});
