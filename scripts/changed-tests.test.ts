import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { findChangedTests } from './changed-tests.ts';

/** A repository in which one test imports `near`, and another `far` through `near` of another package. */
function repository() {
  const folder = temporaryFolder('changed');
  onTestFinished(() => folder.remove());
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder.path });
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  write('packages/client/src/far.ts', 'export const far = 1;\n');
  write('packages/client/src/near.ts', "export { far } from './far.ts';\n");
  write('packages/client/src/near.test.ts', "import { far } from './near.ts';\n");
  write('packages/cli/src/cli.test.ts', "import type { far } from '@hortus/client/near';\n");
  write('packages/cli/src/alone.test.ts', "const text = `\n  import { far } from '../far.ts'`;\n");
  write('docs/page.md', 'a page\n');
  git('init', '--quiet');
  git('add', '.');
  git(...identity, 'commit', '--quiet', '--message=first');
  return { root: folder.path, write, commit: () => git(...identity, 'commit', '--quiet', '--all', '--message=next') };
}

test('a changed file selects the tests that import it, also through other packages', () => {
  const { root, write } = repository();
  write('packages/client/src/far.ts', 'export const far = 2;\n');
  expect(findChangedTests(root, 'HEAD').tests).toEqual([
    'packages/cli/src/cli.test.ts',
    'packages/client/src/near.test.ts',
  ]);
});

test('committed changes count from the given commit, and a new test counts as changed', () => {
  const { root, write, commit } = repository();
  write('packages/client/src/near.test.ts', '');
  commit();
  write('packages/client/src/new.test.ts', '');
  expect(findChangedTests(root, 'HEAD').tests).toEqual(['packages/client/src/new.test.ts']);
  expect(findChangedTests(root, 'HEAD~1').tests).toEqual([
    'packages/client/src/near.test.ts',
    'packages/client/src/new.test.ts',
  ]);
});

test('what no test imports is reported', () => {
  const { root, write } = repository();
  write('docs/page.md', 'another page\n');
  expect(findChangedTests(root, 'HEAD')).toEqual({ tests: [], unimported: ['docs/page.md'] });
});

test('a commit that looks like an option is refused by git', () => {
  const { root } = repository();
  expect(() => findChangedTests(root, '--output=/tmp/x')).toThrow(/Command failed: git diff/);
});
