import { endOnSignal, startService } from './start.ts';
import { welcome, welcomeLog } from './welcome.ts';

/** Runs the service alone, as the container image and the tests do. */
const { app, config, log } = await startService(process.env, process.cwd());
// Away from a terminal the output is a log: it gets no lasting credentials, but a new link at each start until it is used.
const lines = process.stdout.isTTY ? welcome(config, app) : welcomeLog(config.publicUrl, await app.firstLink());
console.log(lines.join('\n'));
endOnSignal(log, () => app.close());
