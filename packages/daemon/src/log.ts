import type { Log as SharedLog } from '@hortus/logging/log';

/** The part of the log that the daemon uses. Fields come first: `log.error({ err }, 'text')`. */
export type Log = Pick<SharedLog, 'debug' | 'info' | 'warn' | 'error'>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
