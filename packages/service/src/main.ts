import { endOnSignal, startService } from './start.ts';
import { welcome } from './welcome.ts';

/** The service by itself, as an image and the tests run it. */
const { app, config, log } = await startService(process.env, process.cwd());
console.log(welcome(config, app).join('\n'));
endOnSignal(log, () => app.close());
