import Type, { type Static, type TProperties } from 'typebox';
import { choice } from './fields.ts';

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

/** What a daemon may ask for beyond the published messages; nothing else is ever sent to one that did not ask. */
const capabilities = Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 64 }));

export const toService = {
  auth: message('auth', 'Authenticate. Must be the first message, within five seconds.', {
    api_key: Type.String({ minLength: 1, maxLength: 256, description: 'The key of the server.' }),
    capabilities,
  }),
  action_started: message('action_started', 'The action began.', { execution_id: executionId }),
  action_completed: message('action_completed', 'The action finished successfully.', {
    execution_id: executionId,
    exit_code: exitCode,
    output,
  }),
  action_failed: message('action_failed', 'The action failed.', {
    execution_id: executionId,
    error: Type.Optional(Type.String({ description: 'Why, for a person.' })),
    exit_code: exitCode,
    output,
  }),
  pong: message('pong', 'Reply to a ping.', { ts: Type.Optional(ts) }),
};

export const toDaemon = {
  action_request: message('action_request', 'Execute an action.', {
    execution_id: Type.String(),
    instance_id: Type.String(),
    container_name: Type.String(),
    action: Type.Object({
      slug: Type.String(),
      type: choice(['exec', 'job', 'http']),
      command: Type.Array(Type.String(), { description: 'The argument vector. Never a shell line.' }),
      timeout: Type.String({ description: 'A duration with an s suffix.', examples: ['300s'] }),
    }),
    params: Type.Record(Type.String(), Type.Unknown()),
  }),
  ping: message('ping', 'Keep-alive.', { ts }),
};

export type ToService = { [Name in keyof typeof toService]: Static<(typeof toService)[Name]> }[keyof typeof toService];
export type ToDaemon = { [Name in keyof typeof toDaemon]: Static<(typeof toDaemon)[Name]> }[keyof typeof toDaemon];

/** Why the service closes a channel, as WebSocket close codes. */
export const closeCodes = {
  unauthorized: 4401,
  /** Another connection of the same server took its place; wait a minute at least before connecting again. */
  replaced: 4409,
} as const;

export const channelTimes = {
  authWithinMs: 5_000,
  pingEveryMs: 20_000,
  missedPings: 2,
  replacedWaitMs: 60_000,
} as const;
