import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { Timestamp } from './envelope.ts';
import { choice } from './fields.ts';
import { SealedFields } from './sealing.ts';

/**
 * The messages of the daemon channel. Unknown fields pass, so that daemon and service may differ by a minor version, and
 * of a daemon's reports only the execution id is demanded: a result is worth more than its completeness.
 */
const message = <const Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
) => Type.Object({ type: Type.Literal(type), ...fields }, { description });

const executionId = Type.String({ minLength: 1, maxLength: 128, description: 'Repeats the execution of the request.' });
const exitCode = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
const output = Type.Optional(Type.String({ description: 'What the action wrote; the service keeps a bounded part.' }));
const ts = Type.Integer({ description: 'Milliseconds since the epoch; pong repeats that of its ping.' });

/** Where the channel is served: under the base of the interface, and at the root. */
export const channelPaths = ['/api/v1/ws/server', '/ws/server'] as const;

/** What a daemon may ask for beyond the published messages; nothing else is ever sent to one that did not ask. */
export const capabilityNames = [
  'wake',
  'journal',
  'ack',
  'builtin',
  'cancel',
  'rotate',
  'transfer',
  'bundle',
  'seal',
] as const;
export type Capability = (typeof capabilityNames)[number];

const capabilities = Type.Optional(
  Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 64,
    description: [
      '`wake`: notices of pending deployments. `journal`: an execution sent twice starts once, so it may be sent again.',
      '`ack`: acknowledgements of authentication and results. `builtin`: built-in actions that take more than one Docker command (backups, smoke tests, prune), and release in one order.',
      '`cancel`: cancellation of actions. `rotate`: new server keys. `transfer`: waiting transfers, and orders to clear an instance. `seal`: notices of another daemon with the server key but another key pair. Unknown names are ignored.',
    ].join(' '),
  }),
);

const about = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }));

export const toService = {
  auth: message('auth', 'Authenticate. Must be the first message, within five seconds.', {
    api_key: Type.String({ minLength: 1, maxLength: 256, description: 'The key of the server.' }),
    capabilities,
    journal: about(
      'Names the journal of the daemon: only the one that was handed an execution may be handed it again.',
    ),
    version: about('Of the daemon.'),
    os: about('Of its machine.'),
    arch: about('Of its machine.'),
    engine: about('Name and version of the container engine.'),
    sealing_key: about(
      'X25519 public key of the daemon, base64 of its SPKI. The first one of a server is pinned; secrets are sealed to it.',
    ),
    ingress: Type.Optional(
      Type.String({ maxLength: 200, description: 'What serves the routes of its server, or why nothing does.' }),
    ),
  }),
  action_started: message('action_started', 'The action began.', { execution_id: executionId }),
  action_completed: message('action_completed', 'The action finished successfully.', {
    execution_id: executionId,
    exit_code: exitCode,
    output,
    error: Type.Optional(Type.String({ description: 'What else is worth knowing, for a person.' })),
    result: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What a built-in action found out.' }),
    ),
  }),
  action_failed: message('action_failed', 'The action failed.', {
    execution_id: executionId,
    error: Type.Optional(Type.String({ description: 'Why, for a person.' })),
    exit_code: exitCode,
    output,
  }),
  pong: message('pong', 'Reply to a ping.', {
    ts: Type.Optional(Type.Unknown({ description: 'Repeats that of the ping; the service does not read it.' })),
  }),
};

/**
 * What makes a message an order of the service: who it is for, how long it counts, and Ed25519 over the canonical JSON (RFC
 * 8785) of everything else, by the key that signs manifests. Daemons of the published interface ignore it.
 */
const order = {
  server_id: Type.Optional(Type.String({ description: 'The server that it is for.' })),
  issued_at: Type.Optional(Timestamp),
  expires_at: Type.Optional(Timestamp),
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
          'exec: run the command in the container. builtin: start, stop, restart or release the instance; the command is what a Docker host runs for it, outside of the container.',
      }),
      command: Type.Array(Type.String(), { description: 'The argument vector. Never a shell line.' }),
      timeout: Type.String({ description: 'A duration with an s suffix.', examples: ['300s'] }),
    }),
    params: Type.Record(Type.String(), Type.Unknown()),
    ...order,
  }),
  ping: message('ping', 'Keep-alive.', { ts }),
};

const rotation = Type.String({ minLength: 1, maxLength: 128, description: 'Names the rotation.' });

/** What only a daemon sends that asked for the capability. */
export const negotiatedToService = {
  key_rotated: message('key_rotated', 'The new key is kept safely: the old one may die. Needs `rotate`.', { rotation }),
};

/** What only a daemon is sent that asked for the capability which `neededCapability` names. */
export const negotiatedToDaemon = {
  authenticated: message('authenticated', 'The key is in order and this is the connection of the server now.', {
    server_id: Type.String(),
    capabilities: Type.Array(Type.String(), { description: 'Those of the wished for that the service knows.' }),
    ping_seconds: Type.Integer({
      description: 'How often it will ping. Who hears nothing for three times as long has lost the connection.',
    }),
  }),
  deployment_available: message('deployment_available', 'A deployment waits at GET /deployments/pending.', {}),
  transfer_available: message('transfer_available', 'A transfer waits at GET /transfers/pending.', {}),
  result_recorded: message('result_recorded', 'The result is on disk; it need not be sent again.', {
    execution_id: Type.String(),
  }),
  action_cancel: message('action_cancel', 'Nobody wants the action any more: end it and say so.', {
    execution_id: Type.String(),
    ...order,
  }),
  rotate_key: message('rotate_key', 'A new key. Keep the old one until the new one has been used.', {
    api_key: Type.String(),
    rotation,
    ...order,
  }),
  identity_conflict: message(
    'identity_conflict',
    'Another daemon came with the key of this server and was refused: it does not have the pinned key pair.',
    {
      fingerprint: Type.Union([Type.String(), Type.Null()], { description: 'Of its key; null if it showed none.' }),
      seen_at: Timestamp,
    },
  ),
};

export const neededCapability: Readonly<Record<keyof typeof negotiatedToDaemon, Capability>> = {
  authenticated: 'ack',
  deployment_available: 'wake',
  transfer_available: 'transfer',
  result_recorded: 'ack',
  action_cancel: 'cancel',
  rotate_key: 'rotate',
  identity_conflict: 'seal',
};

type Messages<Table extends Record<string, TSchema>> = { [Name in keyof Table]: Static<Table[Name]> }[keyof Table];

export type ToService = Messages<typeof toService & typeof negotiatedToService>;
export type ToDaemon = Messages<typeof toDaemon & typeof negotiatedToDaemon>;

/** Why the service closes a channel, as WebSocket close codes. */
export const closeCodes = {
  unauthorized: 4401,
  /** The key is valid, but another key pair is pinned for the server, or its identity was reset. */
  forbidden: 4403,
  /** Another connection of the same server took its place; wait a minute at least before connecting again. */
  replaced: 4409,
} as const;

export const channelTimes = {
  authWithinMs: 5_000,
  pingEveryMs: 20_000,
  missedPings: 2,
  replacedWaitMs: 60_000,
} as const;
