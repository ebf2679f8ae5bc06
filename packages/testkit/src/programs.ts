import { join } from 'node:path';

/** Folder of bundled programs, if the test run or bench built them: they start in a third of the time. */
const bundled = process.env.HORTUS_TEST_PROGRAMS;

const program = (bundle: string, source: string): string =>
  bundled ? join(bundled, bundle) : join(import.meta.dirname, '../..', source);

/** Entry file of the service. */
export const serviceMain = program('service/main.mjs', 'service/src/main.ts');
/** Module of the service's worker threads. */
export const serviceWorker = program('service/worker.mjs', 'service/src/wiring/worker.ts');
/** Entry file of the daemon. */
export const daemonMain = program('daemon/main.mjs', 'daemon/src/main.ts');
/** Entry file of the daemon that kills itself at a given moment. */
export const killedDaemonMain = program('daemon/killed-main.mjs', 'daemon/src/testing/killed-main.ts');
/** Module of a daemon without an engine, whose updates are tested. */
export const standInModule = program('daemon/stand-in.mjs', 'daemon/src/update/testing/stand-in.ts');
/** Entry file of the command line client. */
export const cliMain = program('cli/main.mjs', 'cli/src/main.ts');
