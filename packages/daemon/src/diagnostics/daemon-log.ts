import { openLog } from '@hortus/logging/log';
import type { DaemonConfig } from '../config/config.ts';
import { keepError } from './error-file.ts';

/** Exit code of a crash, in contrast to a mistake of the operator (2). */
export const CRASHED = 70;

/** Opens the log of the daemon, which also stores errors in the state directory. */
export const openDaemonLog = (config: DaemonConfig) =>
  openLog({
    level: config.logLevel,
    hidden: secretsOf(config),
    onError: (line) => keepError(config.stateDirectory, line),
  });

/** Secrets of the configuration, for redaction. */
export const secretsOf = ({ key, backupBucket }: DaemonConfig): string[] =>
  [key, backupBucket?.credentials.secretAccessKey, backupBucket?.credentials.sessionToken].filter(
    (text) => text !== undefined,
  );

/** Logs an uncaught error or rejection and ends the process, because its state is unknown. */
export function endOnCrash(log: ReturnType<typeof openLog>): void {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'the daemon crashed');
    process.exit(CRASHED);
  });
}
