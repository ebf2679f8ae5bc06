import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { LoggedResult } from './vitest-report.ts';

/**
 * Reporter that writes each result to a file at once: Vitest writes its summary and its report only at its end.
 *
 * @public Vitest loads it by its path.
 */
export default class ResultLog implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    write({ file: test.module.moduleId, name: test.fullName, state, errors: errors.map(textOf) });
  }

  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors();
    if (errors.length > 0)
      write({ file: module.moduleId, name: 'the whole file', state: 'failed', errors: errors.map(textOf) });
  }
}

const textOf = ({ stack, message, diff }: { stack?: string; message: string; diff?: string }): string =>
  [stack ?? message, diff].filter(Boolean).join('\n');

function write(result: LoggedResult): void {
  const path = process.env.HORTUS_TEST_RESULTS;
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(result)}\n`);
}
