import { useEffect, useRef } from 'react';
import uPlot from 'uplot';

/** A moment on the time axis, in seconds since 1970. */
export interface Mark {
  readonly at: number;
  readonly text: string;
}

interface ChartProps {
  readonly title: string;
  readonly words: string;
  readonly value: string;
  readonly unit: string;
  readonly from: number;
  readonly xs: number[];
  readonly ys: (number | null)[][];
  /** Tokens of the lines; the second line is dashed. */
  readonly colours: readonly string[];
  readonly marks: readonly Mark[];
  readonly print: (value: number) => string;
  /** Values are bytes of memory, so the lines of the grid are powers of two. */
  readonly binary?: boolean;
  /** Over the whole width. */
  readonly wide?: boolean;
}

const HEIGHT = 138;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const seconds = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const TWO_DAYS = 2 * 86_400;
/** Below it, several labels would show the same minute. */
const TEN_MINUTES = 600;
const POWERS = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** One series over time: its value now beside the title, few time labels, deployments as vertical marks. */
export function Chart(props: ChartProps) {
  const { title, words, value, unit, xs, ys, print } = props;
  const place = usePlot(props);
  const max = Math.max(0, ...ys.flat().filter((number) => number !== null));
  return (
    <figure className={props.wide ? 'chart wide' : 'chart'}>
      <figcaption>
        <h2>
          {title} <small>{words}</small>
        </h2>
        <span>
          <b>{value}</b> {unit}
        </span>
      </figcaption>
      {xs.length === 0 ? (
        <p className="nothing">Nothing was reported in this time.</p>
      ) : (
        <div ref={place} role="img" aria-label={`${title}, ${words}: now ${value} ${unit}, at most ${print(max)}`} />
      )}
    </figure>
  );
}

/** Draws into the returned element: again with other data, another width or another theme. */
function usePlot(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const isEmpty = props.xs.length === 0;
  useEffect(() => {
    const element = place.current;
    if (!element || isEmpty) return undefined;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(element.clientWidth, latest), dataOf(latest.current), element);
    };
    draw();
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    sizes.observe(element);
    const themes = new MutationObserver(draw);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [isEmpty]);
  useEffect(() => {
    plot.current?.setData(dataOf(props));
  }, [props]);
  return place;
}

const dataOf = ({ xs, ys }: ChartProps): uPlot.AlignedData => [xs, ...ys] as uPlot.AlignedData;

function optionsOf(width: number, latest: { readonly current: ChartProps }): uPlot.Options {
  const { colours } = latest.current;
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: token('--ink-3'),
    font: `11px ${token('--font-sans')}`,
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    padding: [6, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: () => [latest.current.from, Date.now() / 1000] },
      y: { range: (_, __, max) => [0, Math.max((max ?? 0) * 1.15, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 80,
        values: (_, splits) => splits.map((at) => timeOf(at, latest.current)),
      },
      {
        ...axis,
        side: 1,
        size: 58,
        gap: 8,
        space: 34,
        grid: { stroke: token('--chart-grid'), width: 1 },
        ...(latest.current.binary && { incrs: POWERS }),
        values: (_, splits) => splits.map((split) => latest.current.print(split)),
      },
    ],
    series: [
      {},
      ...colours.map((colour, place) => ({
        stroke: token(colour),
        width: 1.5,
        points: { show: false },
        ...(place === 0 ? { fill: `color-mix(in oklch, ${token(colour)} 12%, transparent)` } : { dash: [4, 3] }),
      })),
    ],
    hooks: { draw: [(plot) => drawMarks(plot, latest.current, token)] },
  };
}

function timeOf(at: number, { from }: ChartProps): string {
  const span = Date.now() / 1000 - from;
  const words = span > TWO_DAYS ? day : span < TEN_MINUTES ? seconds : clock;
  return words.format(at * 1000);
}

function drawMarks(plot: uPlot, { marks, from }: ChartProps, token: (name: string) => string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = token('--ink-3');
  ctx.fillStyle = token('--ink-2');
  ctx.font = `${11 * devicePixelRatio}px ${token('--font-sans')}`;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  // The newest keeps its text where several are close together.
  let freeUntil = Number.POSITIVE_INFINITY;
  for (const { at, text } of marks.filter((mark) => mark.at >= from).sort((a, b) => b.at - a.at)) {
    const x = Math.round(plot.valToPos(at, 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const { width } = ctx.measureText(text);
    const gap = 5 * devicePixelRatio;
    const left = x + gap + width > bbox.left + bbox.width ? x - gap - width : x + gap;
    if (left + width > freeUntil) continue;
    freeUntil = left - gap;
    ctx.fillText(text, left, bbox.top + 10 * devicePixelRatio);
  }
  ctx.restore();
}
