import { randomBytes } from 'node:crypto';

const sane = /^[A-Za-z0-9._-]{1,128}$/;

/** Random once per process and counted from there: unique enough to find a line by, and next to free. */
const prefix = `req_${randomBytes(8).toString('hex')}_`;
let count = 0;

/** The caller's own id if it is fit for a header and a log line, else a new one. */
export const requestId = (given: string | undefined): string =>
  given !== undefined && sane.test(given) ? given : prefix + (count++).toString(36);
