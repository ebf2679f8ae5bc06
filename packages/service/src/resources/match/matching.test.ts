import { meets } from '@hortus/template/resolution/needs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, match } from './matching.ts';

const template = (name: string, provides: string[], more: Partial<Candidate> = {}): Candidate => ({
  name,
  provides,
  needs: [],
  featured: false,
  deprecated: false,
  ...more,
});
const names = (list: readonly { template: Candidate }[]) => list.map((item) => item.template.name);

describe('match', () => {
  it('ranks the best fit first', () => {
    const templates = [
      template('Old', ['database.postgres'], { deprecated: true }),
      template('Special', ['database.postgres.timescale']),
      template('Hungry', ['database.postgres'], { needs: ['storage.s3'] }),
      template('Plain', ['database.postgres']),
      template('Another', ['database.postgres']),
      template('Shown', ['database.postgres'], { featured: true }),
      template('Else', ['cache.redis']),
    ];
    const { matches } = match(['database.postgres'], templates);
    expect(names(matches[0]?.templates ?? [])).toEqual(['Shown', 'Another', 'Plain', 'Hungry', 'Special', 'Old']);
  });

  it('counts as missing only what is neither provided nor requested', () => {
    const hungry = template('Hungry', ['http.blog', 'cache.redis'], {
      needs: ['storage.s3', 'cache.redis', 'database.postgres'],
    });
    const { matches } = match(['http.blog', 'database.postgres'], [hungry]);
    expect(matches[0]?.templates[0]?.missing).toEqual(['storage.s3']);
  });

  it('reports unmet needs, and covers the rest with as few templates as possible', () => {
    const templates = [
      template('Cache', ['cache.redis']),
      template('Database', ['database.postgres']),
      template('Both', ['cache.redis', 'database.postgres']),
      template('Search', ['search.meilisearch']),
    ];
    const { unmet, best } = match(['cache', 'database.postgres', 'queue.amqp', 'search', 'cache'], templates);
    expect(unmet).toEqual(['queue.amqp']);
    expect(best.map(({ template: { name }, covers }) => [name, covers])).toEqual([
      ['Both', ['cache', 'database.postgres']],
      ['Search', ['search']],
    ]);
  });

  it('prefers better ranked templates among sets of one size', () => {
    const templates = [template('B', ['a.x', 'b.x'], { deprecated: true }), template('A', ['a.x', 'b.x'])];
    expect(names(match(['a', 'b'], templates).best)).toEqual(['A']);
  });
});

describe('match, of any catalog', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd');
  const klass = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.'));
  const candidate = fc
    .record({
      provides: fc.array(klass, { maxLength: 3 }),
      needs: fc.array(klass, { maxLength: 2 }),
      featured: fc.boolean(),
      deprecated: fc.boolean(),
    })
    .chain((of) => fc.string({ maxLength: 3 }).map((name) => ({ ...of, name })));
  const offered = (candidate: Candidate, need: string) => candidate.provides.some((provided) => meets(provided, need));

  it('lists exactly the templates that meet a need, and covers all satisfiable needs with the fewest', () => {
    fc.assert(
      fc.property(
        fc.array(klass, { minLength: 1, maxLength: 6 }),
        fc.array(candidate, { maxLength: 7 }),
        (needs, all) => {
          const { matches, unmet, best } = match(needs, all);
          for (const { need, templates } of matches) {
            expect(new Set(templates.map((template) => template.template))).toEqual(
              new Set(all.filter((item) => offered(item, need))),
            );
            expect(unmet.includes(need)).toBe(templates.length === 0);
          }
          const coverable = new Set(needs.filter((need) => all.some((item) => offered(item, need))));
          expect(new Set(best.flatMap(({ covers }) => covers))).toEqual(coverable);
          for (const { template: item, covers } of best)
            for (const need of covers) expect(offered(item, need)).toBe(true);
          expect(best.length).toBe(fewestByTrying(all, coverable));
        },
      ),
      { numRuns: process.env.HORTUS_TEST_LONG ? 2000 : 200 },
    );
  });

  function fewestByTrying(all: readonly Candidate[], needs: ReadonlySet<string>): number {
    let min = Number.POSITIVE_INFINITY;
    for (let chosen = 0; chosen < 1 << all.length; chosen++) {
      const some = all.filter((_, at) => chosen & (1 << at));
      if (some.length < min && [...needs].every((need) => some.some((candidate) => offered(candidate, need))))
        min = some.length;
    }
    return min;
  }

  it('is fast for the largest request', () => {
    const needs = Array.from({ length: 16 }, (_, at) => `n${at}.x`);
    const many = Array.from({ length: 300 }, (_, at) =>
      template(`T${at}`, [needs[at % 16] as string, needs[(at * 7) % 16] as string, needs[(at * 3) % 16] as string]),
    );
    const started = performance.now();
    expect(match(needs, many).unmet).toEqual([]);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
