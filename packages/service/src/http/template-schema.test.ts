import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '@hortus/template/catalog/load';
import { parse } from '@hortus/template/source/parse';
import { INKWELL, SEED } from '@hortus/template/testing/inkwell';
import { validate } from '@hortus/template/validate';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { serve } from './testing/serve.ts';

const ROOT = new URL('../../../../', import.meta.url);

interface Part {
  readonly description?: string;
  readonly properties?: Record<string, Part>;
  readonly patternProperties?: Record<string, Part>;
  readonly items?: Part;
  readonly anyOf?: Part[];
}

describe('the template schema for editors', () => {
  let document: Part & Record<string, unknown>;
  let conforms: (value: unknown) => boolean;

  beforeAll(async () => {
    await using service = await serve();
    const response = await service.fetch('/schemas/template.json');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/schema+json']);
    expect(response.headers.get('etag')).toBeTruthy();
    document = (await response.json()) as typeof document;
    // Strict: a keyword it does not know, or one that cannot apply, is an error and not ignored.
    const check = new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(document);
    conforms = (value) => check(value);
  });

  it('accepts every template of the catalog, as checked by an independent validator', async () => {
    const catalog = await loadCatalog(fileURLToPath(new URL('catalog', ROOT)));
    expect(catalog.length).toBeGreaterThan(0);
    for (const { file } of catalog) {
      const text = await readFile(new URL(file, ROOT), 'utf8');
      expect(conforms(parse(text).value), file).toBe(true);
    }
  });

  it('accepts and refuses the same templates as our validator', () => {
    for (const text of [INKWELL, SEED]) expect(conforms(parse(text).value)).toBe(true);
    for (const wrong of ['enviroment: {A: b}', 'ports: [{container_port: 0}]', 'command: a b', 'healthcheck: []']) {
      const text = `${SEED}${wrong}\n`;
      expect([conforms(parse(text).value), validate(text).template], wrong).toEqual([false, undefined]);
    }
  });

  it('has an id, a title and a description of each field', () => {
    expect(document).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: expect.stringMatching(/^https?:\/\/.+\/schemas\/template\.json$/),
      title: 'Hortus template',
      description: expect.any(String),
    });
    const silent: string[] = [];
    const visit = (part: Part, path: string): void => {
      for (const [key, inner] of Object.entries({ ...part.properties, ...part.patternProperties })) {
        if (!inner.description) silent.push(`${path}.${key}`);
        visit(inner, `${path}.${key}`);
      }
      if (part.items) visit(part.items, `${path}[]`);
      for (const item of part.anyOf ?? []) visit(item, path);
    };
    visit(document, '');
    expect(silent).toEqual([]);
  });

  it('has a valid template as its example', () => {
    for (const example of document.examples as unknown[]) {
      expect(conforms(example)).toBe(true);
      expect(validate(JSON.stringify(example)).findings).toEqual([]);
    }
  });
});
