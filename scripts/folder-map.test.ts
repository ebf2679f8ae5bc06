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

function rows(page: string, heading: string): { folder: string; purpose: string }[] {
  const sections = readFileSync(join(root, page), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)].map(([, folder = '', purpose = '']) => ({
    folder,
    purpose,
  }));
}

/** Each page with a map of folders, its heading there, and the folders that it maps. */
const maps = [
  {
    page: 'CONTRIBUTING.md',
    heading: 'Folder map',
    real: [...foldersIn(''), ...foldersIn('packages'), ...foldersIn('packages/service/src')],
  },
  ...['packages/daemon', 'packages/web'].map((folder) => ({
    page: `${folder}/README.md`,
    heading: 'Where things are',
    real: foldersIn(`${folder}/src`).map((path) => path.slice(`${folder}/src/`.length)),
  })),
];

test.each(maps)('the folder map in $page has a row for every folder and no other row', ({ page, heading, real }) => {
  expect(
    rows(page, heading)
      .map(({ folder }) => folder)
      .sort(),
  ).toEqual(real.sort());
});

test.each(maps)('every row in $page states the purpose of the folder', ({ page, heading }) => {
  expect(rows(page, heading).filter(({ purpose }) => purpose.length < 10)).toEqual([]);
});
