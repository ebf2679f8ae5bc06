import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { transferMachine } from '../machines/transfer.ts';
import { RequestNonce } from '../protocol/request-nonce.ts';
import { SealedFields } from '../protocol/sealing.ts';
import { TransferMode } from '../protocol/transfer.ts';
import { choice, id, idParam, namePattern, nullable } from '../records/fields.ts';

/** Limit of the database columns. */
const count = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const Transfer = Type.Object(
  {
    id: id('transfer'),
    migration_id: nullable(id('migration'), { description: 'The migration; null for imports and exports.' }),
    import_id: nullable(id('import')),
    backup_id: nullable(id('backup'), { description: 'The backup that the caller downloads from.' }),
    definition_id: id('definition'),
    storage: Type.String({ description: 'Name of the volume in the template.' }),
    mode: TransferMode,
    from_server_id: nullable(id('server'), { description: 'Null if the caller sends.' }),
    to_server_id: nullable(id('server'), { description: 'Null if the caller receives.' }),
    status: choice(transferMachine.states),
    chunks: count('Chunks stored on the target.'),
    bytes: count('Bytes of these chunks.'),
    carried_bytes: count('Bytes that were sent; chunks that the target already had are not.'),
    sha256: nullable(Type.String(), {
      description: 'Checksum over the checksums of all chunks, once both ends agree on it.',
    }),
    error: nullable(Type.String()),
    created_at: Timestamp,
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
  },
  {
    title: 'Transfer',
    description: 'Transfer of the content of one volume between two servers, or between a server and the caller.',
  },
);
export type Transfer = Static<typeof Transfer>;

/** Order for a daemon. Signed like a manifest, so that only the service can have a volume read or written. */
export const TransferOrder = Type.Object(
  {
    id: id('transfer'),
    role: choice(['send', 'receive']),
    mode: TransferMode,
    server_id: id('server', { description: 'The server that the order is for.' }),
    definition_id: id('definition'),
    instance_uid: Type.String({ pattern: namePattern }),
    volume: Type.String({ description: 'Name of the volume on the engine.' }),
    spool: Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,200}$',
      description: 'Folder of the chunks on the target; the same for all copies of this volume in a migration.',
    }),
    backup: Type.Optional(
      Type.Object(
        {
          id: id('backup'),
          manifest_sha256: Type.String(),
          key: Type.String({ description: 'Decryption key, base64.' }),
        },
        { description: 'The backup to read from, instead of the volume itself.' },
      ),
    ),
    ticket: Type.Optional(
      Type.String({
        description:
          'Sealed to the key pair that is pinned for the server; missing where none is. The daemon shows it when it connects, in the header X-Hortus-Ticket, and in its reports.',
      }),
    ),
    nonce: Type.Optional(RequestNonce),
    sealed: Type.Optional(SealedFields),
    signature: Type.String({ description: 'Ed25519 over the canonical JSON (RFC 8785) of everything else, base64.' }),
  },
  { title: 'TransferOrder' },
);
export type TransferOrder = Static<typeof TransferOrder>;

/** Unknown fields are accepted, so that daemon and service may differ by a minor version. */
export const TransferReport = Type.Object(
  {
    status: choice(['running', 'completed', 'failed']),
    chunks: Type.Optional(count('Chunks stored on the target.')),
    bytes: Type.Optional(count('Bytes of these chunks.')),
    carried_bytes: Type.Optional(count('Bytes that were sent.')),
    sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', maxLength: 64 })),
    ticket: Type.Optional(Type.String({ maxLength: 128, description: 'Of the order; needed where it has one.' })),
    error: Type.Optional(Type.String({ maxLength: 2_000, description: 'Why it failed, for people.' })),
  },
  {
    title: 'TransferReport',
    examples: [{ status: 'running', chunks: 12, bytes: 50_331_648, carried_bytes: 50_331_648 }],
  },
);
export type TransferReport = Static<typeof TransferReport>;

export const transferEndpoints = {
  'transfers.pending': endpoint({
    method: 'GET',
    path: '/transfers/pending',
    tag: 'migrations',
    summary: 'List the active transfers',
    description:
      'For a server key: the transfers that its daemon must send or receive now. Both ends connect to /ws/transfer (`Upgrade: hortus-transfer/2`), and the service relays the bytes without storing them. Orders are signed for each request and repeat its `nonce`. For other keys: all active transfers.',
    permission: 'deployments:read',
    daemon: true,
    query: Type.Object({ ...paging, nonce: Type.Optional(RequestNonce) }),
    response: list(Type.Object({ ...Transfer.properties, order: nullable(TransferOrder) })),
  }),
  'transfers.report': endpoint({
    method: 'PATCH',
    path: '/transfers/{id}',
    tag: 'migrations',
    summary: 'Report the progress of a transfer',
    description: 'The receiver reports progress and completion; both ends can report a failure.',
    permission: 'deployments:report',
    daemon: true,
    params: Type.Object({ id: idParam('Id of a transfer.') }),
    body: TransferReport,
    response: envelope(Transfer),
  }),
};
