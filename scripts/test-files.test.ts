import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allTestFiles, capabilities, onlyInLongRuns, selectTests, separateProcess } from './test-files.ts';

const root = join(import.meta.dirname, '..');
const [quick, all, long, named] = (['quick', 'all', 'long', 'named'] as const).map((size) => selectTests(root, size));

test('every file that is listed by name exists', () => {
  const named = [...Object.values(capabilities), ...separateProcess, ...onlyInLongRuns];
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('a run of everything has each file once', () => {
  const files = allTestFiles(root);
  for (const [selection, expected] of [
    [long, files],
    [named, files],
    [all, files.filter((path) => !onlyInLongRuns.includes(path))],
  ] as const) {
    const { own = [], shared = [], inBrowser = [] } = selection ?? {};
    expect([...own, ...shared, ...inBrowser].sort()).toEqual(expected);
  }
});

test('a quick run has every file that needs no engine, and each capability', () => {
  expect(quick?.shared).toEqual(all?.shared);
  const { own = [], inBrowser = [] } = quick ?? {};
  expect([...own, ...inBrowser].filter((path) => !separateProcess.includes(path)).sort()).toEqual(
    Object.values(capabilities).sort(),
  );
  expect(quick?.onSwarm).toEqual([expect.stringMatching(/^e2e\/docker\//)]);
});

test('tests with an engine do not share a process', () => {
  expect(all?.shared).not.toContain('packages/daemon/src/rollout/rollout.test.ts');
  expect(all?.shared.filter((path) => path.startsWith('e2e/'))).toEqual([]);
  expect(all?.shared).toContain('packages/daemon/src/plan/plan.test.ts');
});
