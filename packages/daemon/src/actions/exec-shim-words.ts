/** On standard input of a shim, with the directory of an order behind it: carry it out. */
export const GO = 'go ';

/** On standard output of a shim: the result is on the disk. */
export const DONE = 'done';
