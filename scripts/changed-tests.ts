// npm run test:changed: the test files that import what changed since a commit.
import { execFileSync } from 'node:child_process';
import { ImportGraph } from './import-graph.ts';
import { allTestFiles } from './test-files.ts';

export interface ChangedTests {
  readonly tests: readonly string[];
  /** Changed files that no test imports, such as pages of the documentation; `npm test` covers what tests read or run. */
  readonly unimported: readonly string[];
}

/** Committed, uncommitted and untracked changes since `commit`. Whole-system tests run programs, so they import little. */
export function findChangedTests(root: string, commit: string): ChangedTests {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter((path) => path !== '');
  const changed = new Set([
    ...git('diff', '--name-only', '-z', '--end-of-options', commit),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]);
  const graph = new ImportGraph(root);
  const imported = new Set<string>();
  const tests = allTestFiles(root).filter((test) => {
    const reached = graph.reachableFrom(test).intersection(changed);
    for (const path of reached) imported.add(path);
    return reached.size > 0;
  });
  return { tests, unimported: [...changed.difference(imported)].sort() };
}
