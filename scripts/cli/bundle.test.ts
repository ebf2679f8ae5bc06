import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { commands } from '@hortus/cli/commands/all';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleCli } from './bundle.ts';

const folder = temporaryFolder('cli');
const root = join(import.meta.dirname, '../..');
beforeAll(async () => {
  await bundleCli(folder.path);
}, 60_000);
afterAll(folder.remove);

const files = () => readdirSync(folder.path);
const textOf = (file: string) => readFileSync(join(folder.path, file), 'utf8');
const hortus = (...argv: string[]) =>
  execFileSync(process.execPath, [join(folder.path, 'main.mjs'), ...argv], { encoding: 'utf8', cwd: '/' });

it('the bundle imports nothing but Node and its own files, and names no folder of this checkout', () => {
  for (const file of files()) {
    const text = textOf(file);
    expect(text, file).not.toContain(root);
    const places = [/^(?:import|export)\b[^'"\n]*["']([^"']+)["'];?$/gm, /\bimport\(["']([^"']+)["']\)/g];
    // Comments name types of other files.
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
    const imports = places.flatMap((place) => [...code.matchAll(place)].map(([, from]) => from));
    expect(
      imports.filter((from = '') => !from.startsWith('./') && !isBuiltin(from)),
      file,
    ).toEqual([]);
  }
});

it('every command can be loaded from the bundle', async () => {
  const shown = JSON.parse(hortus('help', '--json'));
  expect(shown.map(({ name }: { name: string }) => name)).toEqual(commands.map(({ name }) => name));
  const loads = [...textOf('main.mjs').matchAll(/import\("\.\/([^"]+)"\)\)?\)?\.(\w+)/g)];
  expect(loads.length).toBeGreaterThanOrEqual(commands.length);
  const missing: string[] = [];
  for (const [, file, name] of loads) {
    const chunk = await import(join(folder.path, file as string));
    if (chunk[name as string] === undefined) missing.push(`${file} ${name}`);
  }
  expect(missing).toEqual([]);
});

it('help loads neither the client nor a library', () => {
  expect(hortus('--help')).toContain('hortus help all');
  const loaded = new Set(['main.mjs', ...files().filter((file) => /^help-/.test(file))]);
  for (const file of loaded) {
    const imports = textOf(file).matchAll(/^(?:import|export)\b[^'"\n]*"\.\/([^"]+)";$/gm);
    for (const [, next] of imports) loaded.add(next as string);
  }
  expect([...loaded].filter((file) => /yaml|typebox|client|connection/.test(file))).toEqual([]);
  const size = [...loaded].reduce((sum, file) => sum + textOf(file).length, 0);
  expect(size).toBeLessThan(200_000);
});

it('the bundle contains no syntax and no function that the oldest Node lacks', () => {
  const newer = [
    /^\s*(?:await )?using \w+ =/m,
    /\b(?:Array\.fromAsync|(?:Object|Map)\.groupBy|Promise\.(?:withResolvers|try)|RegExp\.escape|Error\.isError)\b/,
    /\b(?:Math\.sumPrecise|Uint8Array\.from(?:Base64|Hex)|Iterator\.from|import defer)\b/,
  ];
  const found = files().flatMap((file) =>
    newer.flatMap((pattern) => (pattern.exec(textOf(file)) ?? []).map((text) => `${file}: ${text}`)),
  );
  expect(found).toEqual([]);
});
