import { expect, it } from 'vitest';
import { BOX, type GraphNode, layoutOf } from './graph-layout.ts';

const node = (name: string, needs: Record<string, string> = {}): GraphNode => ({
  ...{ name, needs },
  note: '',
  kind: 'service',
});

it('every part stands right of what waits for it, and no two share a place', () => {
  const { nodes, edges } = layoutOf([
    node('route', { app: 'https' }),
    node('app', { db: 'healthy', migrate: 'completed', cache: 'started' }),
    node('migrate', { db: 'healthy' }),
    node('db'),
    node('cache'),
  ]);
  const xOf = (name: string) => nodes.find((node) => node.name === name)?.x ?? Number.NaN;
  for (const { from, to } of edges) expect(xOf(from)).toBeLessThan(xOf(to));
  expect(edges).toHaveLength(5);
  const places = new Set(nodes.map(({ x, y }) => `${x} ${y}`));
  expect(places.size).toBe(nodes.length);
});

it('parts that wait for each other in a circle, or for an unknown one, are drawn anyway', () => {
  const { nodes, edges, width, height } = layoutOf([node('a', { b: 'started' }), node('b', { a: 'started', c: 'x' })]);
  expect(nodes).toHaveLength(2);
  expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['a b', 'b a']);
  expect(width).toBeGreaterThanOrEqual(2 * BOX.width);
  expect(height).toBeGreaterThan(BOX.height);
});
