/** Message to a shim: run the order; the directory follows. */
export const GO = 'go ';

/** Message of a shim: the result is on disk. */
export const DONE = 'done';
