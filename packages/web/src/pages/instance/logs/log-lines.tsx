import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { counted } from '../../../parts/amount.ts';
import type { LogRow } from './log-buffer.ts';
import type { LogView } from './log-source.ts';
import { Marked } from './marked.tsx';

const ROW = 21;
/** Within this distance from the end a reader is at the end. */
const AT_END = ROW * 2;
/** Older lines are read before the reader arrives at the top. */
const NEAR_TOP = ROW * 100;
const REST_MS = 400;
const COLOURS = ['log-1', 'log-2', 'log-3'];
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

interface LinesProps {
  readonly view: LogView;
  readonly q: string;
  readonly follows: boolean;
  readonly components: readonly string[];
  readonly onFollow: (follows: boolean) => void;
  readonly onPosition: (at: string) => void;
  readonly onTop: () => void;
}

/** The lines, of which only those in view exist. It follows the end until the reader scrolls up. */
export function LogLines({ view, q, follows, components, onFollow, onPosition, onTop }: LinesProps) {
  const region = useRef<HTMLDivElement>(null);
  const { rows, shift } = view;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => region.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  useKeptPlace(region, shift, follows);
  // Changes with the scroll itself, hence before the page knows: a reader who scrolls up is not pulled back by new lines.
  const stays = useRef(follows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows are the reason to scroll
  useLayoutEffect(() => {
    const element = region.current;
    if (stays.current && element) element.scrollTop = element.scrollHeight;
  }, [rows.length, shift]);
  useLayoutEffect(() => {
    stays.current = follows;
    const element = region.current;
    if (follows && element) element.scrollTop = element.scrollHeight;
  }, [follows]);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(resting.current), []);
  const scrolled = () => {
    const element = region.current as HTMLDivElement;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < AT_END;
    stays.current = isAtEnd;
    if (isAtEnd !== follows && rows.length > 0) onFollow(isAtEnd);
    if (element.scrollTop < NEAR_TOP && view.hasOlder) onTop();
    clearTimeout(resting.current);
    if (isAtEnd) return;
    resting.current = setTimeout(() => {
      const row = rows[Math.ceil(element.scrollTop / ROW)];
      if (row && 'line' in row) onPosition(row.line.id);
    }, REST_MS);
  };
  const newest = rows.length - 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
    <div ref={region} role="log" aria-label="Lines" aria-live="off" tabIndex={0} className="log" onScroll={scrolled}>
      <div className="relative min-w-max" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index] as LogRow;
          return (
            <div
              key={row.key}
              className={`log-row ${toneOf(row)} ${follows && index === newest ? 'newest' : ''}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line row={row} q={q} colour={colourOf(row, components)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Keeps the same lines in view when rows are put before them or taken away. */
function useKeptPlace(region: RefObject<HTMLDivElement | null>, shift: number, follows: boolean): void {
  const known = useRef(shift);
  useLayoutEffect(() => {
    const moved = shift - known.current;
    known.current = shift;
    if (moved !== 0 && !follows && region.current) region.current.scrollTop += moved * ROW;
  }, [region, shift, follows]);
}

const Line = memo(function Line({ row, q, colour }: { row: LogRow; q: string; colour: string }) {
  if (!('line' in row)) return <span className="left-out">{counted(row.leftOut, 'line')} left out here</span>;
  const { at, component, text, cut } = row.line;
  return (
    <>
      <time dateTime={at} title={at}>
        {clock.format(Date.parse(at))}
      </time>
      <b className={colour}>{component}</b>
      <span>
        <Marked text={text} q={q} />
        {cut && <i> … the rest of this line was cut</i>}
      </span>
    </>
  );
});

const toneOf = (row: LogRow): string => {
  if (!('line' in row)) return 'gap';
  return row.line.level === 'error' || row.line.level === 'warn' ? row.line.level : '';
};

const colourOf = (row: LogRow, components: readonly string[]): string => {
  if (!('line' in row)) return '';
  return COLOURS[Math.max(0, components.indexOf(row.line.component)) % COLOURS.length] as string;
};
