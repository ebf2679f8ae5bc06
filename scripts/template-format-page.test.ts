import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { templateFormatPage } from './template-format-page.ts';

test('docs/template-format.md lists every field as the schema has it', () => {
  const page = readFileSync(new URL('../docs/template-format.md', import.meta.url), 'utf8');
  expect(page, 'run: npm run --silent docs:template-format > docs/template-format.md').toBe(templateFormatPage());
});
