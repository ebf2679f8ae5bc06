import Type, { type Static } from 'typebox';
import { choice } from './fields.ts';

/**
 * Where the two ends of a transfer meet, as WebSockets: `?transfer_id=…`, with the key of the server in `Authorization`, or that
 * of the caller where he is one of the ends.
 */
export const transferPath = '/api/v1/ws/transfer';

/** Bytes of a chunk; the last one of a volume, and one before a large file, may be shorter. */
export const CHUNK_BYTES = 4 * 1024 * 1024;
/** A chunk travels in pieces, so that whoever carries it never holds more than a few of them. */
export const PIECE_BYTES = 512 * 1024;
/** Chunks that may be offered and not yet acknowledged. */
export const CHUNKS_UNDER_WAY = 4;
export const SAY_SOMETHING_MS = 15_000;

const index = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** AES-256-GMAC, under the key that the receiver has said and a nonce of zeros. */
const mac = Type.String({ pattern: '^[0-9a-f]{32}$' });
const length = Type.Integer({ minimum: 1, maximum: CHUNK_BYTES });

/**
 * What the two ends say to each other, as JSON texts; the service only carries it. A chunk is offered by its
 * name and sent, as binary messages, only if the other end wants it: what it has from an earlier attempt, or from an earlier
 * copy of the same volume, does not travel again. `have` is said once the chunk is on disk and in its place.
 */
export const fromSender = {
  /** The volume is read from its beginning; what was in place counts no more. */
  begin: Type.Object({ type: Type.Literal('begin') }),
  /** Its name is its `mac`, or its `sha256` where the receiver has said no key. */
  offer: Type.Object({
    type: Type.Literal('offer'),
    index,
    mac: Type.Optional(mac),
    sha256: Type.Optional(sha256),
    length,
  }),
  /** `sha256` is over the names of all chunks, in their order. */
  end: Type.Object({
    type: Type.Literal('end'),
    chunks: index,
    bytes: Type.Integer({ minimum: 0 }),
    sha256,
  }),
};

export const fromReceiver = {
  /** Said first: how many chunks are in place, and the key for the names of chunks: 32 random bytes, base64. Older ends have none. */
  next: Type.Object({ type: Type.Literal('next'), index, key: Type.Optional(Type.String()) }),
  want: Type.Object({ type: Type.Literal('want'), index }),
  have: Type.Object({ type: Type.Literal('have'), index }),
  /** Everything is in place and was imported, where that was asked for. */
  done: Type.Object({ type: Type.Literal('done'), sha256 }),
};

/** Either end, now and then, so that silence means that the other is gone. */
export const alive = Type.Object({ type: Type.Literal('alive') });

export const transferModes = ['stage', 'import', 'fetch', 'discard'] as const;
export const TransferMode = choice(transferModes, {
  description:
    'stage: kept beside the volumes of the target, to be compared with later. import: put into the volume. fetch: taken out of a backup, for a caller. discard: what an import that failed has put into the volume is removed again.',
});

export type FromSender = {
  [Name in keyof typeof fromSender]: Static<(typeof fromSender)[Name]>;
}[keyof typeof fromSender];
export type FromReceiver = {
  [Name in keyof typeof fromReceiver]: Static<(typeof fromReceiver)[Name]>;
}[keyof typeof fromReceiver];
