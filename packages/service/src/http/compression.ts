import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './accepted-encoding.ts';
import type { Prepared } from './prepared.ts';

/** Smaller answers fit into one packet as they are. */
export const MIN_COMPRESSED_BYTES = 1_400;
/** Compressions at a time; they share the threads of the process with its files and passwords. */
const MAX_AT_ONCE = 2;

const brotli = promisify(brotliCompress);
const compressors: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    brotli(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: promisify(gzip),
};

/** An encoded form of an answer, with an ETag of its own: a strong one stands for these bytes alone. */
export interface Encoded {
  readonly body: Buffer;
  readonly etag: string;
}

/**
 * Compresses prepared answers on other threads. Only for answers that are the same for every caller: where a secret stands beside
 * text that another person chooses, the length of the compressed answer tells how much they have in common (BREACH).
 */
export class Compression {
  #running = 0;

  /** Resolves with undefined if it does not pay, or too many are running: the answer is sent as it is. */
  async encode({ body, etag }: Pick<Prepared, 'body' | 'etag'>, encoding: Encoding): Promise<Encoded | undefined> {
    if (body.length < MIN_COMPRESSED_BYTES || this.#running >= MAX_AT_ONCE) return undefined;
    this.#running++;
    try {
      return { body: await compressors[encoding](body), etag: `${etag.slice(0, -1)}-${encoding}"` };
    } finally {
      this.#running--;
    }
  }
}
