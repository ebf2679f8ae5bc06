import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { SealedFields } from '../protocol/sealing.ts';
import { TraceParent } from '../protocol/trace-parent.ts';
import { choice } from '../records/fields.ts';
import { updateOrder, updateReport } from '../releases/daemon-update.ts';
import { streamKinds } from './streams.ts';

/**
 * The messages of the daemon channel. Unknown fields are accepted, so that daemon and service may differ by a minor
 * version. Reports of a daemon require only the execution id: an incomplete result is better than none.
 */
const message = <const Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
) => Type.Object({ type: Type.Literal(type), ...fields }, { description });

const executionId = Type.String({ minLength: 1, maxLength: 128, description: 'Repeats the execution of the request.' });
const exitCode = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
const output = Type.Optional(
  Type.String({ description: 'Output of the action; the service stores a bounded part of it.' }),
);
const ts = Type.Integer({ description: 'Milliseconds since the epoch; a pong repeats the value of its ping.' });

/** Paths of the channel: below the base path of the interface, and at the root. */
export const channelPaths = ['/api/v1/ws/server', '/ws/server'] as const;

/**
 * Extensions of the published messages that a daemon can request. A daemon that does not request them never receives
 * them.
 */
export const capabilityNames = [
  'wake',
  'journal',
  'ack',
  'builtin',
  'cancel',
  'rotate',
  'transfer',
  'transfer-stream',
  'bundle',
  'seal',
  'streams',
  'metrics',
  'shell',
  'trace',
  'copies',
  'update',
  'links',
  'nonce',
  'cluster',
  'empty-restores',
] as const;
export type Capability = (typeof capabilityNames)[number];

const capabilities = Type.Optional(
  Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 64,
    description: [
      '`wake`: notices of pending deployments. `journal`: an execution sent twice is started once, so the service may send it again.',
      '`ack`: acknowledgements of authentication and results. `builtin`: built-in actions that need more than one Docker command (backups, smoke tests, prune), and release as one order.',
      '`cancel`: cancellation of actions. `rotate`: new server keys. `transfer`: notices of pending transfers, and orders to clear an instance. `transfer-stream`: transfers by `Upgrade: hortus-transfer/2`; migrations and bundles need it. `seal`: notices of another daemon that uses the server key with a different key pair. `streams`: requests to connect for a stream, such as the output of containers. `metrics`: streams of kind `metrics`. `shell`: streams of kind `shell`, with a terminal in a container. `trace`: the `traceparent` of orders. `copies`: isolated copies of instances, for rehearsals and clones. `update`: orders to update the daemon itself. `links`: networks between an instance and those that it is bound to. `nonce`: orders name the `connection_nonce` of their connection and are numbered on it, so that a recorded order is recognised. `cluster`: leadership of a cluster, which every member must announce. `empty-restores`: restores of dumps obey `restore_into` of the order, and keep the volumes that no dump rebuilds. Unknown names are ignored.',
    ].join(' '),
  }),
);

const connectionNonce = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{22,64}$', maxLength: 64, description }));

const about = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }));

export const toService = {
  auth: message('auth', 'Authenticate. Must be the first message, within five seconds.', {
    api_key: Type.String({ minLength: 1, maxLength: 256, description: 'The key of the server.' }),
    capabilities,
    journal: about(
      'Id of the journal of the daemon: an execution is sent again only to the journal that received it first.',
    ),
    connection_nonce: connectionNonce(
      'Random text that the daemon makes for this connection alone. With `nonce`, every order on it repeats it.',
    ),
    version: about('Version of the daemon.'),
    os: about('Operating system of its machine.'),
    arch: about('Architecture of its machine.'),
    engine: about('Name and version of the container engine.'),
    sealing_key: about(
      'X25519 public key of the daemon, base64 of its SPKI. The first key of a server is pinned; secrets are sealed to it.',
    ),
    ingress: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Ingress that serves the routes of its server, or the reason why there is none.',
      }),
    ),
    ingress_ports: Type.Optional(
      Type.Object(
        { http: Type.Integer({ minimum: 1, maximum: 65_535 }), https: Type.Integer({ minimum: 1, maximum: 65_535 }) },
        { description: 'Ports of the ingress, if they are not 80 and 443: addresses of instances contain them.' },
      ),
    ),
  }),
  action_started: message('action_started', 'The action began.', { execution_id: executionId }),
  action_completed: message('action_completed', 'The action finished successfully.', {
    execution_id: executionId,
    exit_code: exitCode,
    output,
    error: Type.Optional(Type.String({ description: 'Further information for people.' })),
    result: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Result of a built-in action.' })),
  }),
  action_failed: message('action_failed', 'The action failed.', {
    execution_id: executionId,
    error: Type.Optional(Type.String({ description: 'The reason, for people.' })),
    exit_code: exitCode,
    output,
  }),
  pong: message('pong', 'Reply to a ping.', {
    ts: Type.Optional(Type.Unknown({ description: 'Repeats the value of the ping; the service does not read it.' })),
  }),
};

/**
 * Fields that make a message a signed order: the server it is for, its validity, and an Ed25519 signature over the
 * canonical JSON (RFC 8785) of all other fields, made with the key that signs manifests. Daemons of the published
 * interface ignore these fields.
 */
const order = {
  server_id: Type.Optional(Type.String({ description: 'The server that the order is for.' })),
  issued_at: Type.Optional(Timestamp),
  expires_at: Type.Optional(Timestamp),
  connection_nonce: connectionNonce('That of the `auth` message of this connection. Needs `nonce`.'),
  order_number: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Grows with every order on this connection; refuse one that does not exceed the last. Needs `nonce`.',
    }),
  ),
  sealed: Type.Optional(SealedFields),
  signature: Type.Optional(Type.String({ description: 'Base64.' })),
};

export const toDaemon = {
  action_request: message('action_request', 'Execute an action.', {
    execution_id: Type.String(),
    instance_id: Type.String(),
    container_name: Type.String(),
    action: Type.Object({
      slug: Type.String(),
      type: choice(['exec', 'job', 'http', 'builtin'], {
        description:
          'exec: run the command in the container. builtin: start, stop, restart or release the instance; the command runs on the Docker host, outside of the container.',
      }),
      command: Type.Array(Type.String(), { description: 'The argument vector. Never a shell line.' }),
      timeout: Type.String({ description: 'A duration with an s suffix.', examples: ['300s'] }),
      env: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description:
            'Environment of the command, besides that of the container. Not for built-in actions, nor for a daemon with `journal`, which has it in the manifest.',
        }),
      ),
    }),
    params: Type.Record(Type.String(), Type.Unknown()),
    traceparent: Type.Optional(TraceParent),
    ...order,
  }),
  ping: message('ping', 'Keep-alive.', {
    ts,
    spread_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Sent if many daemons are connected: after losing the connection, reconnect at a random time within this many milliseconds.',
      }),
    ),
  }),
};

const rotation = Type.String({ minLength: 1, maxLength: 128, description: 'Id of the rotation.' });

/** Messages that only a daemon with the capability sends. */
export const negotiatedToService = {
  key_rotated: message('key_rotated', 'The new key is stored; the old one may be revoked. Needs `rotate`.', {
    rotation,
  }),
  leadership_renewal: message(
    'leadership_renewal',
    'This member leads its cluster and goes on. Send it three times in each lease; the answer is `leadership`. Needs `cluster`.',
    {
      epoch: Type.Integer({ minimum: 1, description: 'The epoch of its leadership.' }),
      renewal: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Number of the renewal, which its answer repeats.' }),
      ),
    },
  ),
  leadership_release: message(
    'leadership_release',
    'This member no longer leads, because its daemon is stopping: another one may take over at once. Needs `cluster`.',
    { epoch: Type.Integer({ minimum: 1, description: 'The epoch of its leadership.' }) },
  ),
  daemon_update_report: message(
    'daemon_update_report',
    'State of an update of the daemon: after each change, after every connect, and in answer to a repeated order. Needs `update`.',
    updateReport,
  ),
};

/** Messages that only daemons with the capability in `neededCapability` receive. */
export const negotiatedToDaemon = {
  authenticated: message('authenticated', 'The key is valid; this is now the connection of the server.', {
    server_id: Type.String(),
    capabilities: Type.Array(Type.String(), { description: 'The requested capabilities that the service supports.' }),
    ping_seconds: Type.Integer({
      description: 'Interval of pings. The connection is lost after three intervals without a message.',
    }),
  }),
  leadership: message(
    'leadership',
    'Whether this member of a cluster leads: after authentication, when it takes over, and after each renewal. A member that leads must stop to act when the lease ends without a renewal.',
    {
      member_id: Type.String(),
      leads: Type.Boolean(),
      epoch: Type.Integer({ description: 'The newest epoch of the cluster. Reports of an older one are refused.' }),
      lease_ms: Type.Integer({
        description:
          'How long the leadership lasts from the time when the renewal was sent. Without a renewal, send one before acting.',
      }),
      since: Type.Optional(
        Type.Integer({
          description:
            'First epoch of this member since another one led: work of an earlier epoch must not be resumed.',
        }),
      ),
      renewal: Type.Optional(Type.Integer({ description: 'Number of the renewal that this answers.' })),
      ...order,
    },
  ),
  deployment_available: message('deployment_available', 'A deployment is pending; read GET /deployments/pending.', {}),
  transfer_available: message('transfer_available', 'A transfer is pending; read GET /transfers/pending.', {}),
  result_recorded: message('result_recorded', 'The result is stored; it need not be sent again.', {
    execution_id: Type.String(),
  }),
  action_cancel: message('action_cancel', 'The action was cancelled: stop it and report that.', {
    execution_id: Type.String(),
    ...order,
  }),
  rotate_key: message('rotate_key', 'A new key. Keep the old one until the new one has been used.', {
    api_key: Type.String(),
    rotation,
    ...order,
  }),
  daemon_update: message('daemon_update', 'Update the daemon to this release. May be sent again.', {
    ...updateOrder,
    ...order,
  }),
  stream_open: message(
    'stream_open',
    'Connect to /ws/stream with this ticket, and serve the stream there. The first message on it says what is wanted.',
    {
      stream_id: Type.String(),
      ticket: Type.String(),
      kind: Type.String({ examples: [...streamKinds] }),
      instance: Type.String({
        description: 'Name of the instance on the server; the id of the server for a stream of kind `metrics`.',
      }),
      ...order,
    },
  ),
  identity_conflict: message(
    'identity_conflict',
    'Another daemon used the key of this server and was refused: it does not have the pinned key pair.',
    {
      fingerprint: Type.Union([Type.String(), Type.Null()], {
        description: 'Fingerprint of its key; null if it sent none.',
      }),
      seen_at: Timestamp,
    },
  ),
};

export const neededCapability: Readonly<Record<keyof typeof negotiatedToDaemon, Capability>> = {
  authenticated: 'ack',
  leadership: 'cluster',
  deployment_available: 'wake',
  transfer_available: 'transfer',
  result_recorded: 'ack',
  action_cancel: 'cancel',
  rotate_key: 'rotate',
  daemon_update: 'update',
  stream_open: 'streams',
  identity_conflict: 'seal',
};

type Messages<Table extends Record<string, TSchema>> = { [Name in keyof Table]: Static<Table[Name]> }[keyof Table];

export type ToService = Messages<typeof toService & typeof negotiatedToService>;
export type ToDaemon = Messages<typeof toDaemon & typeof negotiatedToDaemon>;

/** WebSocket close codes with which the service closes a channel. */
export const closeCodes = {
  unauthorized: 4401,
  /** The key is valid, but another key pair is pinned for the server, or its identity was reset. */
  forbidden: 4403,
  /** A newer connection of the same server replaced this one; wait at least a minute before reconnecting. */
  replaced: 4409,
  /** Another member leads the cluster now; reconnect at once, as a standby. */
  deposed: 4410,
} as const;

/** Header of requests of a leading member: the epoch of its leadership. The request is refused if it is over. */
export const epochHeader = 'Hortus-Epoch';

export const channelTimes = {
  authWithinMs: 5_000,
  pingEveryMs: 20_000,
  missedPings: 2,
  replacedWaitMs: 60_000,
} as const;
