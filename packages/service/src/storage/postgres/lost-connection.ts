import pg from 'pg';

/** The server ends, is starting, has become a standby, or has no room for another connection. */
const LOST_CODES = new Set(['25006', '57P01', '57P02', '57P03', '53300']);
/** Connection exceptions. */
const LOST_CLASS = '08';

const NETWORK_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** Errors of `pg` and its pool that have no code. */
const messages =
  /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|timeout e(?:xceeded|xpired)|Query read timeout|The database server )/;

/** Tells errors of a connection, after which another server may be tried, from errors of a statement. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as { code?: string };
  if (error instanceof pg.DatabaseError) return LOST_CODES.has(code) || code.startsWith(LOST_CLASS);
  if (error instanceof AggregateError) return error.errors.every(isLostConnection);
  return NETWORK_CODES.has(code) || messages.test(error.message);
}

/** Ends a transaction whose connection was lost before its commit was sent: the server has rolled it back. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
  constructor(cause: unknown) {
    super('The connection to the database was lost before the commit.', { cause });
  }
}
