import { endOnSignal, startService } from './start.ts';
import { welcome } from './welcome.ts';

/** Runs the service alone, as the container image and the tests do. */
const { app, config, log } = await startService(process.env, process.cwd());
console.log(welcome(config, app).join('\n'));
endOnSignal(log, () => app.close());
