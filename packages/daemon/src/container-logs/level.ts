import type { ContainerLogLevel } from '@hortus/contract/protocol/log-filter';

/** Names of levels in the logs of common programs. */
const names: Readonly<Record<string, ContainerLogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  dbg: 'debug',
  verbose: 'debug',
  info: 'info',
  inf: 'info',
  information: 'info',
  notice: 'info',
  log: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  error: 'error',
  err: 'error',
  eror: 'error',
  critical: 'error',
  crit: 'error',
  fatal: 'error',
  panic: 'error',
  emerg: 'error',
  alert: 'error',
};

/** Longest beginning in which a level is searched; programs write it first. */
const BEGIN = 256;
const FIELD = /"(?:level|severity|lvl|log\.level|loglevel)"\s*:\s*(?:"([A-Za-z]{3,12})"|(\d{1,2}))/i;
const PAIR = /\b(?:level|lvl|severity)=["']?([A-Za-z]{3,12})\b/i;
/** A word in brackets or before a colon. */
const MARKED =
  /\[\s*(trace|debug|info|notice|warn|warning|error|err|crit|critical|fatal|alert|emerg|panic)\s*\]|\b(debug|info|warning|warn|error|fatal|panic):/i;
/** Otherwise only a word in capitals is a level and not part of a sentence. */
const CAPITALS = /\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|PANIC|LOG)\b/;

/** Tells the level of a line, where the program wrote it in a common form. */
export function levelOf(text: string): ContainerLogLevel | null {
  const begin = text.length > BEGIN ? text.slice(0, BEGIN) : text;
  const field = begin.startsWith('{') ? FIELD.exec(text) : null;
  if (field) return field[1] === undefined ? numbered(Number(field[2])) : (names[field[1].toLowerCase()] ?? null);
  const pair = PAIR.exec(begin)?.[1];
  if (pair !== undefined) return names[pair.toLowerCase()] ?? null;
  const [, bracketed, labelled] = MARKED.exec(begin) ?? [];
  const word = bracketed ?? labelled ?? CAPITALS.exec(begin)?.[1];
  return word === undefined ? null : (names[word.toLowerCase()] ?? null);
}

/** Numbers of pino and bunyan; syslog severities are below 10. */
function numbered(level: number): ContainerLogLevel | null {
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  if (level >= 30) return 'info';
  if (level >= 10) return 'debug';
  if (level <= 3) return 'error';
  if (level === 4) return 'warn';
  return level <= 6 ? 'info' : 'debug';
}
