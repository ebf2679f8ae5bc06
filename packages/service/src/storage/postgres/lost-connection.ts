import pg from 'pg';

/** The server ends, is starting, has become a standby, or has no room for another connection. */
const LOST_CODES = new Set(['25006', '57P01', '57P02', '57P03', '53300']);
/** Connection exceptions. */
const LOST_CLASS = '08';

const UNREACHABLE_CODES = new Set([
  ...['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'],
]);
const NETWORK_CODES = new Set([
  ...UNREACHABLE_CODES,
  ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** Errors of `pg` and its pool that have no code. */
const messages =
  /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|timeout expired|Query read timeout|The database server )/;

/** Tells errors of a connection, after which another server may be tried, from errors of a statement. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as { code?: string };
  if (error instanceof pg.DatabaseError) return LOST_CODES.has(code) || code.startsWith(LOST_CLASS);
  if (error instanceof AggregateError) return error.errors.every(isLostConnection);
  return NETWORK_CODES.has(code) || messages.test(error.message);
}

/** Tells a server that is cut off from one that refuses a connection, and from problems of this machine. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof pg.DatabaseError) &&
  (UNREACHABLE_CODES.has((error as { code?: string }).code ?? '') || error.message.startsWith('timeout expired'));

/** Ends a transaction whose connection was lost before its commit was sent: the server has rolled it back. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
  constructor(cause: unknown) {
    super('The connection to the database was lost before the commit.', { cause });
  }
}
