import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

/** A list of any length in which only the visible rows exist. It scrolls by itself and takes focus for the keyboard. */
export function LongList<Row>({
  label,
  rows,
  rowHeight,
  keyOf,
  children,
  className = 'h-[70vh]',
}: {
  label: string;
  rows: readonly Row[];
  /** In pixels; rows may be higher. */
  rowHeight: number;
  keyOf: (row: Row) => string | number;
  children: (row: Row, index: number) => ReactNode;
  className?: string;
}) {
  const region = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(rows[index] as Row),
    overscan: 12,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
    <section ref={region} className={`overflow-auto ${className}`} aria-label={label} tabIndex={0}>
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(rows[index] as Row, index)}
          </li>
        ))}
      </ul>
    </section>
  );
}
