import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

// Created by tools, not part of the project. `.git` is a file in some checkouts, the rest is in .gitignore.
const ignored = new Set([
  '.git',
  ...readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/\/$/, '')),
]);

/** Lists folders that contain files; git does not track empty ones. */
function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ignored.has(entry.name))
    .map((entry) => (folder === '' ? entry.name : `${folder}/${entry.name}`))
    .filter((path) =>
      readdirSync(join(root, path), { recursive: true, withFileTypes: true }).some((entry) => entry.isFile()),
    );
}

function rows(): { folder: string; purpose: string }[] {
  const sections = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith('Folder map\n')) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)].map(([, folder = '', purpose = '']) => ({
    folder,
    purpose,
  }));
}

test('the folder map in CONTRIBUTING.md has a row for every folder and no other row', () => {
  const real = [...foldersIn(''), ...foldersIn('packages'), ...foldersIn('packages/service/src')];
  expect(
    rows()
      .map(({ folder }) => folder)
      .sort(),
  ).toEqual(real.sort());
});

test('every row states the purpose of the folder', () => {
  expect(rows().filter(({ purpose }) => purpose.length < 10)).toEqual([]);
});
