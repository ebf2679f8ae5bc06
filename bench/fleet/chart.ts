interface Line {
  readonly name: string;
  /** Size and cost. */
  readonly points: readonly (readonly [size: number, cost: number])[];
}

export interface Panel {
  readonly title: string;
  readonly sizes: string;
  readonly unit: string;
  /** The promised limit of the cost, drawn as a dashed line. */
  readonly limit?: number;
  readonly lines: readonly Line[];
}

const WIDTH = 380;
const HEIGHT = 250;
const COLUMNS = 2;
const PLOT = { left: 52, right: 12, top: 34, bottom: 40 };
/** Names of lines stand in two columns above the plot. */
const LEGEND = { columns: 2, line: 12 };
const COLOURS = ['#1f6f43', '#b4581a', '#2f5d9b', '#8a2f6b', '#6b6b14', '#4a4a4a', '#0f7c86', '#c2185b', '#5d4037'];

/** Draws cost against size: one small chart for each panel, with logarithmic sizes. */
export function drawPanels(panels: readonly Panel[]): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const [width, height] = [WIDTH * COLUMNS, HEIGHT * rows];
  const drawn = panels.map((panel, i) => {
    const at = `translate(${(i % COLUMNS) * WIDTH} ${Math.floor(i / COLUMNS) * HEIGHT})`;
    return `<g transform="${at}">${drawPanel(panel)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10">`,
    '<title>Cost of an installation against its size</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ title, sizes, unit, limit, lines }: Panel): string {
  const points = lines.flatMap((line) => line.points);
  const smallest = Math.log10(Math.min(...points.map(([size]) => size)));
  const largest = Math.log10(Math.max(...points.map(([size]) => size)));
  const max = 1.15 * Math.max(limit ?? 0, ...points.map(([, cost]) => cost));
  const x = (size: number) =>
    PLOT.left + ((Math.log10(size) - smallest) / (largest - smallest || 1)) * (WIDTH - PLOT.left - PLOT.right);
  const top = PLOT.top + Math.ceil(lines.length / LEGEND.columns) * LEGEND.line;
  const y = (cost: number) => HEIGHT - PLOT.bottom - (cost / max) * (HEIGHT - top - PLOT.bottom);
  const end = WIDTH - PLOT.right;
  const costs = [0, max / 2, max].map(
    (cost) =>
      `<text x="${PLOT.left - 4}" y="${fixed(y(cost) + 3)}" text-anchor="end">${short(cost)}</text>` +
      `<line x1="${PLOT.left}" x2="${end}" y1="${fixed(y(cost))}" y2="${fixed(y(cost))}" stroke="#dddddd"/>`,
  );
  const places = [...new Set(points.map(([size]) => size))].map(
    (size) =>
      `<text x="${fixed(x(size))}" y="${HEIGHT - PLOT.bottom + 14}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  );
  const promised =
    limit === undefined
      ? []
      : [
          `<line x1="${PLOT.left}" x2="${end}" y1="${fixed(y(limit))}" y2="${fixed(y(limit))}" stroke="#c00000" stroke-dasharray="4 3"/>`,
        ];
  return [
    `<text x="${PLOT.left}" y="14" font-size="12" font-weight="bold">${title}</text>`,
    `<text x="${PLOT.left}" y="27" fill="#555555">${unit}</text>`,
    `<text x="${end}" y="${HEIGHT - 10}" text-anchor="end" fill="#555555">${sizes}</text>`,
    ...costs,
    ...places,
    ...promised,
    ...lines.map((line, i) => drawLine(line, i, x, y)),
  ].join('\n');
}

function drawLine({ name, points }: Line, place: number, x: (size: number) => number, y: (cost: number) => number) {
  const colour = COLOURS[place % COLOURS.length];
  const path = points.map(([size, cost]) => `${fixed(x(size))},${fixed(y(cost))}`).join(' ');
  const dots = points.map(
    ([size, cost]) => `<circle cx="${fixed(x(size))}" cy="${fixed(y(cost))}" r="2.5" fill="${colour}"/>`,
  );
  const left = PLOT.left + (place % LEGEND.columns) * ((WIDTH - PLOT.left) / LEGEND.columns);
  const label = `<text x="${left}" y="${PLOT.top + 5 + Math.floor(place / LEGEND.columns) * LEGEND.line}" fill="${colour}">${name}</text>`;
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>${dots.join('')}${label}`;
}

const fixed = (value: number): string => value.toFixed(1);
const short = (value: number): string => (value >= 10 || value === 0 ? value.toFixed(0) : value.toFixed(1));
