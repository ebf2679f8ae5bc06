import type { Template } from '@hortus/contract/template/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from '../source/parse.ts';
import { INKWELL, SEED } from '../testing/inkwell.ts';
import { canonical, specHash, withProfile } from './canonical.ts';
import { canonicalJson } from './canonical-json.ts';

const inkwell = parse(INKWELL).value as Template;
const seed = parse(SEED).value as Template;

/** The same value with the keys of every mapping in another order. */
function shuffled<T>(value: T, order: () => number): T {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map((entry) => ({ entry, at: order() }));
  entries.sort((a, b) => a.at - b.at);
  return Object.fromEntries(entries.map(({ entry: [key, inner] }) => [key, shuffled(inner, order)])) as T;
}

describe('the canonical form', () => {
  it('expands a single container into component main', () => {
    const spec = canonical({
      ...seed,
      env: { A: 1, B: true },
      command: ['run'],
      profiles: { minimal: { env: { A: '2' } } },
    });
    expect(Object.keys(spec.components)).toEqual(['main']);
    expect(spec.components.main).toMatchObject({
      image: '${template.image}',
      env: { A: '1', B: 'true' },
      command: ['run'],
    });
    expect(spec.profiles).toEqual({
      development: {},
      minimal: { components: { main: { env: { A: '2' } } } },
      production: {},
    });
    expect(spec).not.toHaveProperty('env');
  });

  it('contains every default', () => {
    const spec = canonical(seed);
    expect(spec).toMatchObject({
      inputs: { required: [], optional: [] },
      backup: { strategy: 'none', volumes: [] },
      deadline: '10m',
      featured: false,
    });
    expect(spec.components.main).toMatchObject({
      kind: 'service',
      restart: 'unless-stopped',
      network: 'bridge',
      privileged: false,
      capabilities: { add: [], drop: [] },
      confinement: { seccomp: 'default', apparmor: 'default', no_new_privileges: false },
      stop_grace_period: '10s',
    });
    const { migrate, db } = canonical(inkwell).components;
    expect(migrate).toMatchObject({ restart: 'no', run: 'before_start' });
    expect(db?.healthcheck).toMatchObject({ interval: '10s', timeout: '5s', retries: 3, start_period: '30s' });
  });

  it('splits image references into their parts', () => {
    const images = ['localhost:5000/a/b', 'a:1', `a:1@sha256:${'0'.repeat(64)}`].map(
      (image) => canonical({ ...seed, components: { main: { image } } }).components.main?.image,
    );
    expect(images).toEqual([
      { repository: 'localhost:5000/a/b' },
      { repository: 'a', tag: '1' },
      { repository: 'a', tag: '1', digest: `sha256:${'0'.repeat(64)}` },
    ]);
  });

  it('does not depend on the order of keys', () => {
    const hash = specHash(canonical(inkwell));
    expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (stream) => {
        const order = () => stream.next().value as number;
        expect(specHash(canonical(shuffled(inkwell, order)))).toBe(hash);
      }),
    );
  });

  it('does not depend on whether defaults and short forms are written out', () => {
    expect(specHash(canonical(canonical(inkwell)))).toBe(specHash(canonical(inkwell)));
    const spelt = {
      ...seed,
      $schema: 'x',
      'x-note': 1,
      components: { main: { image: '${template.image}', kind: 'service' } },
    };
    expect(specHash(canonical(spelt as Template))).toBe(specHash(canonical(seed)));
  });

  it('has another hash after any change to what is deployed', () => {
    const hashes = [seed, { ...seed, env: { A: '1' } }, { ...seed, env: { A: '2' } }, { ...seed, version: '1.0.1' }];
    expect(new Set(hashes.map((template) => specHash(canonical(template)))).size).toBe(hashes.length);
  });

  it('is deeply frozen', () => {
    const spec = canonical(inkwell);
    expect(() => Object.assign(spec.components.app?.env ?? {}, { X: '1' })).toThrow(TypeError);
  });

  it('applies a profile as a merge patch, defaults included', () => {
    const spec = canonical({
      ...inkwell,
      profiles: { minimal: { components: { app: { healthcheck: null, gpu: {} } } } },
    });
    const app = withProfile(spec, 'minimal')?.components.app;
    expect(app).not.toHaveProperty('healthcheck');
    expect(app?.gpu).toEqual({ count: 'all' });
    expect(withProfile(spec, 'production')).toBe(spec);
    expect(withProfile(spec, 'constructor')).toBeUndefined();
  });
});

describe('canonicalJson', () => {
  it('follows RFC 8785', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\ud83d\ude00":5,"\ufb33":3}');
    expect(canonicalJson([1e30, 4.5, 0.002, 1e-27, -0, null, 'a"\n'])).toBe('[1e+30,4.5,0.002,1e-27,0,null,"a\\"\\n"]');
  });

  it('parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
