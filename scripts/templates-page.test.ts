import { readFileSync } from 'node:fs';
import { validate } from '@hortus/template/validate';
import { expect, test } from 'vitest';

test('the first template of docs/templates.md is valid, without a warning', () => {
  const page = readFileSync(new URL('../docs/templates.md', import.meta.url), 'utf8');
  const [, indented = ''] = /^ {3}```yaml\n(.*?)^ {3}```$/ms.exec(page) ?? [];
  const { findings } = validate(indented.replaceAll(/^ {3}/gm, ''));
  expect(indented).toContain('slug:');
  expect(findings).toEqual([]);
});
