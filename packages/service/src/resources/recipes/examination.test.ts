import { RecipeDetail } from '@hortus/contract/resources/recipes';
import { SEED } from '@hortus/template/testing/inkwell';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectShape } from '../../testing/published-response.ts';
import { examine, specInput, writtenSpec } from './examination.ts';

const findingsShape = RecipeDetail.properties.findings;
const examined = (slug: string, spec: RecipeDetail['spec']) => examine(writtenSpec(slug, spec));

it('a valid template has no findings, as text or as an object', () => {
  const object = {
    slug: 'seed',
    name: 'Seed',
    version: '1.0.0',
    archetype: 'worker',
    taxonomy: { kingdom: 'applications', family: 'test' },
    image: { repository: 'docker.io/library/busybox', tag: '1.36.1' },
  };
  const [byText, byObject] = [examined('seed', SEED), examined('seed', object)];
  expect([byText.findings, byObject.findings]).toEqual([[], []]);
  expect(byText.canonical).toEqual(byObject.canonical);
});

it('findings in an object have the line numbers of its formatted JSON', () => {
  const { findings } = examined('seed', { slug: 'seed', colour: 'green' });
  expect(findings).toContainEqual(expect.objectContaining({ path: 'colour', line: 3, column: 3 }));
});

it('any input is examined and stored unchanged', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.json().map((text) => `slug: seed\n${text}`),
    fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Record<string, unknown>>,
    fc.dictionary(fc.constantFrom('slug', 'image', 'inputs', 'components', 'actions', '__proto__'), fc.jsonValue()),
  );
  fc.assert(
    fc.property(anything, (spec) => {
      const written = writtenSpec('seed', spec);
      const { findings, canonical } = examine(written);
      expectShape(findingsShape, findings);
      expect(findings.length).toBeLessThanOrEqual(200);
      expect(canonical === undefined).toBe(findings.some(({ severity }) => severity === 'error'));
      expect(JSON.stringify(specInput(written))).toBe(JSON.stringify(spec));
    }),
  );
});
