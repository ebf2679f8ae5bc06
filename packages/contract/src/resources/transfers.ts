import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, namePattern, nullable } from '../fields.ts';
import { transferMachine } from '../machines/transfer.ts';
import { SealedFields } from '../sealing.ts';
import { TransferMode } from '../transfer.ts';

/** No column holds more. */
const count = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const Transfer = Type.Object(
  {
    id: id('transfer'),
    migration_id: nullable(id('migration'), { description: 'What it is a part of; of an import or an export, null.' }),
    import_id: nullable(id('import')),
    backup_id: nullable(id('backup'), { description: 'What a caller fetches it from.' }),
    definition_id: id('definition'),
    storage: Type.String({ description: 'The name that the template gives it.' }),
    mode: TransferMode,
    from_server_id: nullable(id('server'), { description: 'Null where the caller sends.' }),
    to_server_id: nullable(id('server'), { description: 'Null where the caller receives.' }),
    status: choice(transferMachine.states),
    chunks: count('Chunks that are in place on the target.'),
    bytes: count('Their bytes.'),
    carried_bytes: count('Those of the bytes that had to travel: what the target had already did not.'),
    sha256: nullable(Type.String(), { description: 'Over the checksums of all chunks, once both ends agree on it.' }),
    error: nullable(Type.String()),
    created_at: Timestamp,
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
  },
  {
    title: 'Transfer',
    description: 'The content of one volume on its way from one server to another, or between a server and a caller.',
  },
);
export type Transfer = Static<typeof Transfer>;

/** What a daemon is asked to do. Signed like a manifest: nobody else can have a volume read or written. */
export const TransferOrder = Type.Object(
  {
    id: id('transfer'),
    role: choice(['send', 'receive']),
    mode: TransferMode,
    server_id: id('server', { description: 'Of the daemon that this is for.' }),
    definition_id: id('definition'),
    instance_uid: Type.String({ pattern: namePattern }),
    volume: Type.String({ description: 'Its name on the engine.' }),
    spool: Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,200}$',
      description: 'Where the target keeps chunks; the same for all copies of this volume in a migration.',
    }),
    backup: Type.Optional(
      Type.Object(
        { id: id('backup'), manifest_sha256: Type.String(), key: Type.String({ description: 'Opens it; base64.' }) },
        { description: 'Where the volume is read from, where that is not the volume itself.' },
      ),
    ),
    sealed: Type.Optional(SealedFields),
    signature: Type.String({ description: 'Ed25519 over the canonical JSON (RFC 8785) of everything else, base64.' }),
  },
  { title: 'TransferOrder' },
);
export type TransferOrder = Static<typeof TransferOrder>;

/** Unknown fields pass, so that daemon and service may differ by a minor version. */
export const TransferReport = Type.Object(
  {
    status: choice(['running', 'completed', 'failed']),
    chunks: Type.Optional(count('In place.')),
    bytes: Type.Optional(count('In place.')),
    carried_bytes: Type.Optional(count('Those of them that travelled.')),
    sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', maxLength: 64 })),
    error: Type.Optional(Type.String({ maxLength: 2_000, description: 'Why it cannot be done, for a person.' })),
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
    summary: 'List the transfers that a daemon has a part in',
    description:
      'For a server key: what its daemon is to send or to receive now. The bytes go over a WebSocket at /ws/transfer, from either end to the service, which holds none of them back. For people: all that are under way.',
    permission: 'deployments:read',
    daemon: true,
    query: Type.Object({ ...paging }),
    response: list(Type.Object({ ...Transfer.properties, order: nullable(TransferOrder) })),
  }),
  'transfers.report': endpoint({
    method: 'PATCH',
    path: '/transfers/{id}',
    tag: 'migrations',
    summary: 'Report how a transfer gets on',
    description: 'The target tells of progress and of the end; either end tells that it cannot be done.',
    permission: 'deployments:report',
    daemon: true,
    params: Type.Object({ id: givenId('Id of a transfer.') }),
    body: TransferReport,
    response: answer(Transfer),
  }),
};
