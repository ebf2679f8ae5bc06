import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsPage } from './settings-page.ts';

test('docs/settings.md lists every setting as the table has it', () => {
  const page = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8');
  expect(page, 'run: npm run --silent docs:settings > docs/settings.md').toBe(settingsPage());
});
