import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { BOX, type GraphNode, layoutOf } from './graph-layout.ts';
import { imageName } from './image-name.ts';

/** The components of a species and what each waits for, as a small drawing with a sentence for screen readers. */
export function ComponentGraph({ spec }: { spec: Canonical }) {
  const nodes = nodesOf(spec);
  const { width, height, nodes: placed, edges } = layoutOf(nodes);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
    <section className="graph" aria-label="Components" tabIndex={0}>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={sentenceOf(nodes)}>
        {edges.map(({ from, to, label, path, at, tip }) => (
          <g key={`${from} ${to}`}>
            <path className="edge" d={path} />
            <path className="tip" d={tip.up ? `M${tip.x} ${tip.y}l-4 7h8z` : `M${tip.x} ${tip.y}l-7 -4v8z`} />
            <text className="note" x={at.x} y={at.y} textAnchor="middle">
              {label}
            </text>
          </g>
        ))}
        {placed.map(({ name, note, kind, x, y }) => (
          <g key={name}>
            <rect
              className={kind === 'job' ? 'box job' : 'box'}
              {...{ x, y, width: BOX.width, height: BOX.height }}
              rx="5"
            />
            <text className="name" x={x + 12} y={y + 19}>
              {shortened(name, 16)}
            </text>
            <text className="note" x={x + 12} y={y + 34}>
              {shortened(note, 20)}
            </text>
          </g>
        ))}
      </svg>
    </section>
  );
}

const shortened = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** Name of the node that stands for the public addresses; no component can have it. */
const ROUTE = 'your address';

function nodesOf(spec: Canonical): GraphNode[] {
  const components = Object.entries(spec.components).map(
    ([name, component]): GraphNode => ({
      name,
      kind: component.kind,
      note: component.kind === 'job' ? jobNote(component) : imageName(spec, component.image),
      needs: component.depends_on,
    }),
  );
  if (spec.routes.length === 0) return components;
  const needs = Object.fromEntries(
    spec.routes.map(({ component, tls }) => [component, tls === 'off' ? 'http' : 'https']),
  );
  return [{ name: ROUTE, note: 'by the ingress', kind: 'route', needs }, ...components];
}

const jobNote = ({ run, schedule }: { run?: string | undefined; schedule?: string | undefined }): string =>
  run === 'schedule' ? `job, ${schedule ?? 'scheduled'}` : 'job, runs once';

function sentenceOf(nodes: readonly GraphNode[]): string {
  const sentences = nodes.flatMap(({ name, kind, needs }) =>
    Object.entries(needs).map(([to, state]) =>
      kind === 'route' ? `Your address leads to ${to}` : `${name} waits until ${to} is ${state}`,
    ),
  );
  const alone = nodes.filter(({ kind }) => kind !== 'route').map(({ name }) => name);
  return `Runs ${alone.join(', ')}. ${sentences.map((sentence) => `${sentence}.`).join(' ')}`.trim();
}
