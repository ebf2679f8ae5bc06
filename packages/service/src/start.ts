import { VERSION } from '@hortus/contract/releases/version';
import { startTelemetry } from '@hortus/tracing/start';
import type { Telemetry } from '@hortus/tracing/telemetry';
import { type App, buildApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config/config.ts';
import type { Environment } from './config/config-fields.ts';
import type { AgentBuilder } from './process/agent-builder.ts';
import { type Log, openLog, readableLines } from './process/log.ts';

export interface StartedService {
  readonly app: App;
  readonly config: Config;
  readonly log: Log;
  /** Address of the service on this machine. */
  readonly localUrl: string;
}

/**
 * Starts the service for a program that only runs the service: an error ends the process. `builderFor` gives it a builder of agent
 * binaries.
 */
export async function startService(
  env: Environment,
  cwd: string,
  builderFor: (config: Config, log: Log) => AgentBuilder | undefined = () => undefined,
): Promise<StartedService> {
  const config = readSettings(env, cwd);
  const log = openLog({
    level: config.logLevel,
    ...(process.stderr.isTTY && { stream: await readableLines() }),
  });
  try {
    // Before anything that is traced.
    const telemetry = await startTelemetry({ env, name: 'hortus', version: VERSION, warn: (text) => log.warn(text) });
    const agentBuilder = builderFor(config, log);
    const built = await buildApp({ config, log, ...(agentBuilder && { agentBuilder }) });
    await telemetry?.exportMetrics(() => built.metrics.values());
    const app = telemetry ? endingWith(built, telemetry) : built;
    // Loading it takes 100 ms, for which no request should wait.
    await import('@hortus/mcp/http');
    const { address, family, port } = await app.http.listen();
    const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
    const host = everywhere[address] ?? address;
    logCrashes(log);
    return { app, config, log, localUrl: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}` };
  } catch (error) {
    log.debug({ err: error });
    console.error(`Hortus cannot start: ${(error as Error).message}`);
    process.exit(1);
  }
}

/** Exports the spans of the shutdown too. */
const endingWith = (app: App, telemetry: Telemetry): App => ({
  ...app,
  async close() {
    await app.close();
    await telemetry.stop();
  },
});

function readSettings(env: Environment, cwd: string): Config {
  try {
    return readConfig(env, cwd);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/**
 * Exit code of a crash, in contrast to a service that cannot start (1) or has invalid settings (2); the supervisor
 * restarts it.
 */
const CRASHED = 70;

/** Logs an uncaught error and ends the process, because its state is unknown. */
function logCrashes(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'the service crashed');
    process.exit(CRASHED);
  });
}

/** Shuts down gracefully on a signal. */
export function endOnSignal(log: Log, end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      // A second signal ends the process at once: the handler is removed by then.
      end().then(
        () => process.exit(0),
        (err) => {
          log.error({ err }, 'the shutdown failed');
          process.exit(1);
        },
      );
    });
  }
}
