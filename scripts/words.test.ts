import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { avoidedInFileNames, avoidedNames } from './words.ts';

const root = join(import.meta.dirname, '..');
const files = globSync(['packages/*/src/**/*.{ts,tsx}', 'e2e/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts'], {
  cwd: root,
}).filter((path) => !path.includes('node_modules') && !path.startsWith('scripts/words'));

test('identifiers use the words of the trade', () => {
  const found = files.flatMap((path) =>
    avoidedNames(path, readFileSync(join(root, path), 'utf8')).map(
      ({ line, name, instead }) => `${path}:${line} ${name}: use ${instead}`,
    ),
  );
  expect(found).toEqual([]);
});

test('file names use the words of the trade', () => {
  const found = files.flatMap((path) =>
    avoidedInFileNames
      .filter(({ pattern }) => pattern.test(basename(path)))
      .map(({ instead }) => `${path}: use ${instead}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['const MOST_BYTES = 1;', 'MOST_BYTES'],
  ['call((one) => one.id);', 'one'],
  ['const x = { answer: 1 };', 'answer'],
  ['servers.forEach(({ patienceMs }) => 1);', 'patienceMs'],
  ['const call = (...of: unknown[]) => run(...of);', '...of'],
])('finds the word in %s', (source, name) => {
  expect(avoidedNames('packages/service/src/x.ts', source)[0]?.name).toBe(name);
});

test('texts, comments and published names are not identifiers of ours', () => {
  const source = "// the answer given\nconst text = 'answer'; type Body = MigrationAnswer; rollback.givenUp();";
  expect(avoidedNames('packages/service/src/x.ts', source)).toEqual([]);
});
