import { join } from 'node:path';

/** Of the run of tests or benches, if it has bundled them: they start in a third of the time. */
const bundled = process.env.HORTUS_TEST_PROGRAMS;

const program = (bundle: string, source: string): string =>
  bundled ? join(bundled, bundle) : join(import.meta.dirname, '../..', source);

/** What Node is started with to run the service. */
export const serviceMain = program('service/main.mjs', 'service/src/main.ts');
/** The same for the daemon. */
export const daemonMain = program('daemon/main.mjs', 'daemon/src/main.ts');
/** The daemon that kills itself at a moment that it is told. */
export const killedDaemonMain = program('daemon/killed-main.mjs', 'daemon/src/testing/killed-main.ts');
