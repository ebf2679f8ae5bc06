/** Message to a shim: run the order; the directory follows. */
export const GO = 'go ';

/** Message of a shim: the result can be read. */
export const DONE = 'done';
