import { createWriteStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Copies the socket at standard input to the socket or file at standard output, as plainly as Node can. */
const to = fstatSync(1).isFile() ? createWriteStream('', { fd: 1 }) : new Socket({ fd: 1 });
await pipeline(new Socket({ fd: 0 }), to);
