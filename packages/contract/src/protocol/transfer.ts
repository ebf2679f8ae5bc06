import Type, { type Static } from 'typebox';
import { choice } from '../records/fields.ts';

/**
 * Path at which the two ends of a transfer meet: `?transfer_id=…`, with the server key in `Authorization`, or the key of
 * the caller if the caller is one of the ends.
 */
export const transferPath = '/api/v1/ws/transfer';

/**
 * Protocol that an end upgrades to. After the upgrade the service forwards its bytes to the other end unparsed. Version
 * 1 was a WebSocket.
 */
export const TRANSFER_PROTOCOL = 'hortus-transfer/2';

/** Carries the ticket of a transfer order when a daemon connects. */
export const TICKET_HEADER = 'x-hortus-ticket';

/** Bytes of a chunk. The last chunk of a volume, and one before a large file, may be shorter. */
export const CHUNK_BYTES = 4 * 1024 * 1024;
/** Maximum number of chunks that are offered and not yet acknowledged. */
export const CHUNKS_UNDER_WAY = 4;
export const SAY_SOMETHING_MS = 15_000;

const index = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** AES-256-GMAC, with the key from the receiver and a nonce of zeros. */
const mac = Type.String({ pattern: '^[0-9a-f]{32}$' });
const length = Type.Integer({ minimum: 1, maximum: CHUNK_BYTES });

/**
 * Messages between the two ends. The sender offers a chunk by its name and sends it only if the receiver wants it: chunks from an earlier attempt or an earlier copy of the
 * volume are not sent again. The receiver answers `have` once the chunk is on disk.
 */
const fromSender = {
  /** The volume is read from its beginning; earlier progress is void. */
  begin: Type.Object({ type: Type.Literal('begin') }),
  /** The name of a chunk is its `mac`, or its `sha256` if the receiver sent no key. */
  offer: Type.Object({
    type: Type.Literal('offer'),
    index,
    mac: Type.Optional(mac),
    sha256: Type.Optional(sha256),
    length,
  }),
  /** `sha256` covers the names of all chunks, in order. */
  end: Type.Object({
    type: Type.Literal('end'),
    chunks: index,
    bytes: Type.Integer({ minimum: 0 }),
    sha256,
  }),
};

const fromReceiver = {
  /**
   * First message: the number of stored chunks, and the key for chunk names (32 random bytes, base64). Older receivers
   * send no key.
   */
  next: Type.Object({ type: Type.Literal('next'), index, key: Type.Optional(Type.String()) }),
  want: Type.Object({ type: Type.Literal('want'), index }),
  have: Type.Object({ type: Type.Literal('have'), index }),
  /** Everything is stored and, if ordered, imported. */
  done: Type.Object({ type: Type.Literal('done'), sha256 }),
};

const transferModes = ['stage', 'import', 'fetch', 'discard'] as const;
export const TransferMode = choice(transferModes, {
  description:
    'stage: kept beside the volumes of the target, for later comparison. import: written into the volume. fetch: read from a backup, for the caller. discard: removes what a failed import wrote into the volume.',
});

export type FromSender = {
  [Name in keyof typeof fromSender]: Static<(typeof fromSender)[Name]>;
}[keyof typeof fromSender];
export type FromReceiver = {
  [Name in keyof typeof fromReceiver]: Static<(typeof fromReceiver)[Name]>;
}[keyof typeof fromReceiver];
