import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from '../notation/version-order.ts';
import { compareApps, isReleaseOf, reaches, skips } from './app-version.ts';
import { type Release, skippedStops, upgradePath } from './path.ts';

const rules = (app_version: string, ...via: string[]) => ({
  app_version,
  upgrade: { via: via.map((version) => ({ version })) },
});
const newest: Release = { version: '3.0.0', app_version: '34.0.3' };

describe('a line of versions', () => {
  it('contains its releases only', () => {
    expect(isReleaseOf('33.0.6', '33')).toBe(true);
    expect(isReleaseOf('v33.0.6-apache', '33.0')).toBe(true);
    expect(isReleaseOf('3.3', '33')).toBe(false);
    expect(isReleaseOf('RELEASE', '33')).toBe(false);
  });

  it('is skipped by an upgrade from before it to after it, and reached by one that ends in it', () => {
    expect(skips('32.0.1', '34.0.3', '33')).toBe(true);
    expect(skips('33.0.6', '34.0.3', '33')).toBe(false);
    expect(skips('32.0.1', '33.0.6', '33')).toBe(false);
    expect(reaches('32.0.1', '33.0.6', '33')).toBe(true);
    expect(reaches('33.0.1', '33.0.6', '33')).toBe(false);
    expect(skips(undefined, '34.0.3', '33')).toBe(true);
  });
});

describe('the way to the newest version', () => {
  it('leads there at once if no stop lies between', () => {
    const path = upgradePath({ version: '2.0.0', app_version: '33.0.1' }, newest, rules('34.0.3', '32', '33'), []);
    expect(path).toEqual({ next: newest, stops: [] });
  });

  it('leads to the newest template for the first stop', () => {
    const known = ['3.0.0-via.32', '3.0.0-via.33', '2.0.0-via.32'].map((version) => ({
      version,
      app_version: version.endsWith('2') ? '32.0.9' : '33.0.6',
    }));
    const running = { version: '1.0.0', app_version: '31.0.4' };
    const path = upgradePath(running, newest, rules('34.0.3', '32', '33'), [...known, newest]);
    expect(path).toEqual({ next: known[0], stops: ['32', '33'] });
  });

  it('is unknown without a template for the next stop, or if the running version names no application version', () => {
    const running = { version: '1.0.0', app_version: '32.0.4' };
    expect(upgradePath(running, newest, rules('34.0.3', '33'), [newest])).toEqual({ stops: ['33'] });
    const stop = { version: '3.0.0-via.33', app_version: '33.0.6' };
    expect(upgradePath({ version: '1.0.0' }, newest, rules('34.0.3', '33'), [stop])).toEqual({ stops: ['33'] });
  });
});

/** Versions of a small application: up to 5 majors with up to 3 minors. */
const app = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 3 })).map((parts) => parts.join('.'));
const line = fc.oneof(
  app,
  fc.integer({ min: 1, max: 5 }).map((major) => String(major)),
);
const template = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }))
  .map((parts) => `${parts.join('.')}.0`);
const release = fc.record({ version: template, app_version: app });

describe('upgrading step by step', () => {
  it('never skips a stop or goes back, and ends at the newest version or names the stop that is missing', () => {
    fc.assert(
      fc.property(
        release,
        app,
        fc.uniqueArray(line, { maxLength: 6 }),
        fc.array(release, { maxLength: 30 }),
        (first, target, via, others) => {
          const last: Release = { version: '10.0.0', app_version: target };
          const spec = rules(target, ...via);
          const known = [...others, last];
          const due = skippedStops(first, spec);
          const seen: Release[] = [first];
          for (let running: Release = first; running !== last; ) {
            const { next, stops } = upgradePath(running, last, spec, known);
            if (next === undefined) {
              const [missing = ''] = stops;
              expect(missing).not.toBe('');
              // Says why: no known version leads on to a release of that stop.
              const fits = (release: Release) =>
                isReleaseOf(release.app_version ?? '', missing) &&
                compareVersions(release.version, running.version) > 0 &&
                !via.some((stop) => skips(running.app_version ?? '', release.app_version ?? '', stop)) &&
                compareApps(release.app_version ?? '', running.app_version ?? '') > 0;
              expect(known.some(fits)).toBe(false);
              return;
            }
            for (const stop of via) expect(skips(running.app_version ?? '', next.app_version ?? '', stop)).toBe(false);
            expect(compareVersions(next.version, running.version)).toBeGreaterThan(0);
            seen.push(next);
            running = next;
          }
          for (const stop of due)
            expect(seen.some((release) => isReleaseOf(release.app_version ?? '', stop))).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
