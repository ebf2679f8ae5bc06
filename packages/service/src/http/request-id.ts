import { randomBytes } from 'node:crypto';

const sane = /^[A-Za-z0-9._-]{1,128}$/;

/** Random once per process, then counted: unique enough to find a log line, and almost free. */
const prefix = `req_${randomBytes(8).toString('hex')}_`;
let count = 0;

/** Returns the caller's own id if it is safe for a header and a log line, otherwise a new one. */
export const requestId = (input: string | undefined): string =>
  input !== undefined && sane.test(input) ? input : prefix + (count++).toString(36);
