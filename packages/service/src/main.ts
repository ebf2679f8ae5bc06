import { type App, buildApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { openLog } from './log.ts';

/** Starts the service, and ends it in order when it is asked to. */
const config = readSettings();
const log = openLog({ level: config.logLevel, readable: process.stderr.isTTY });
const app = await start();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // A second one means it: the handler is gone by then and the default ends the process.
    app.close().then(
      () => process.exit(0),
      (err) => {
        log.error({ err }, 'the service did not stop in order');
        process.exit(1);
      },
    );
  });
}

function readSettings(): Config {
  try {
    return readConfig(process.env, process.cwd());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

async function start(): Promise<App> {
  try {
    const built = await buildApp({ config, log });
    await built.http.listen();
    welcome(built);
    return built;
  } catch (error) {
    log.debug({ err: error });
    console.error(`Hortus cannot start: ${(error as Error).message}`);
    process.exit(1);
  }
}

/** What a person needs next. Generated values are shown this once and are in no log. */
function welcome({ firstStart }: App): void {
  console.log(`Hortus is listening on ${config.publicUrl} (reference: ${config.publicUrl}/docs)`);
  if (!firstStart) return;
  if (firstStart.generatedKey) console.log(`API key of the first account, shown once: ${firstStart.generatedKey}`);
  if (firstStart.generatedPassword)
    console.log(`Login of the first account, shown once: ${firstStart.email} ${firstStart.generatedPassword}`);
}
