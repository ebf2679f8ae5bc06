// npm run check
import { join } from 'node:path';
import { runChecks } from './checks.ts';
import { commandRunner } from './run-command.ts';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
const run = commandRunner(join(import.meta.dirname, '..'), interruption.signal);
const { failed } = await runChecks(run, interruption.signal);
process.exitCode = failed === 0 && !interruption.signal.aborted ? 0 : 1;
