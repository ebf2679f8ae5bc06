import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex, THEMES } from './colours.ts';
import { mark } from './mark.ts';

const CATALOG = fileURLToPath(new URL('../../../../catalog', import.meta.url));
const folders = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const species = folders(CATALOG).flatMap((family) =>
  folders(`${CATALOG}/${family}`).map((slug) => [slug, family] as const),
);

/** Elements that open and close properly, with attributes in double quotes and no text: all that a mark consists of. */
function expectDrawing(svg: string): void {
  const open: string[] = [];
  const rest = svg.replaceAll(
    /<(\/?)([a-z]+)((?: [a-z-]+="[^"<>&]*"| viewBox="[^"<>&]*")*)(\/?)>/g,
    (_, end, name, attributes, alone) => {
      expect(['svg', 'g', 'path', 'circle']).toContain(name);
      expect(attributes).not.toMatch(/ (on\w+|style|href|class)=/);
      expect(attributes).not.toMatch(/NaN|undefined|Infinity/);
      if (end) expect(open.pop()).toBe(name);
      else if (!alone) open.push(name);
      return '';
    },
  );
  expect(open).toEqual([]);
  expect(rest).toBe('');
}

describe('the mark of a species', () => {
  it('is unique for every species of the catalog', () => {
    expect(species.length).toBeGreaterThan(0);
    const drawn = species.map(([slug, family]) => mark(slug, family));
    expect(new Set(drawn).size).toBe(species.length);
    for (const svg of drawn) expectDrawing(svg);
  });

  it('is an SVG document of the requested size, in a few kilobytes', () => {
    const svg = mark('postgres', 'database', { size: 208 });
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 96 96" width="208" height="208">/);
    expect(svg.length).toBeLessThan(12_000);
  });

  it('does not change between releases, so that people recognise it', () => {
    expect(mark('postgres', 'database')).toBe(mark('postgres', 'database', { size: 96, theme: 'any' }));
    const drawn = mark('memcached', 'cache') + mark('postgres', 'database', { size: 24, theme: 'dark' });
    expect(createHash('sha256').update(drawn).digest('hex').slice(0, 16)).toBe('1bb60f0693e2954f');
  });

  it('takes its shape from the species and its hue from the family', () => {
    const shapes = (svg: string) => svg.replaceAll(/#[0-9a-f]{6}/g, '');
    expect(mark('redis', 'cache')).not.toBe(mark('redis', 'database'));
    expect(shapes(mark('redis', 'cache'))).toBe(shapes(mark('redis', 'database')));
    expect(shapes(mark('redis', 'cache', { theme: 'dark' }))).toBe(shapes(mark('redis', 'cache', { theme: 'light' })));
  });

  it('has fewer parts at small sizes', () => {
    const parts = (size: number) =>
      species.reduce((sum, [slug, family]) => sum + mark(slug, family, { size }).split('<').length, 0);
    expect(parts(24)).toBeLessThan(parts(96) * 0.8);
  });

  it('is a valid drawing for any names', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.integer({ min: 16, max: 1024 }),
        fc.constantFrom(...THEMES),
        (...args) => {
          const [slug, family, size, theme] = args;
          expectDrawing(mark(slug, family, { size, theme }));
        },
      ),
      { numRuns: process.env.HORTUS_TEST_LONG ? 5000 : 500 },
    );
  });
});

it('colours match the oklch conversion of browsers', () => {
  expect(hex(1, 0, 0)).toBe('#ffffff');
  expect(hex(0, 0, 0)).toBe('#000000');
  // The corners of sRGB.
  expect(hex(0.62796, 0.25768, 29.234)).toBe('#ff0000');
  expect(hex(0.45201, 0.31321, 264.052)).toBe('#0000ff');
  // Outside of it only the strength gives way.
  expect(hex(0.7, 0.4, 150)).toMatch(/^#[0-9a-f]{6}$/);
});
