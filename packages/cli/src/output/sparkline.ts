const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const WIDTH = 30;

/** Draws numbers as bars from zero to `top` or the maximum; merges surplus values by their maximum. */
export function sparkline(values: readonly number[], top = Math.max(...values)): string {
  const each = Math.max(1, values.length / WIDTH);
  const drawn = Array.from({ length: Math.min(values.length, WIDTH) }, (_, column) =>
    Math.max(...values.slice(Math.floor(column * each), Math.max(Math.floor((column + 1) * each), 1))),
  );
  return drawn.map((value) => barOf(top > 0 ? value / top : 0)).join('');
}

const barOf = (part: number): string => bars[Math.min(bars.length - 1, Math.floor(part * bars.length))] ?? bars[0];
