import Type, { type Static } from 'typebox';
import { errorTable } from '../errors.ts';
import { SHELL_WINDOW_BYTES } from './shell-window.ts';

/**
 * Messages of a shell. A client connects as a WebSocket with the id of a session in the query; the daemon connects for a
 * stream of the kind `shell`. Both use the same messages: binary ones carry bytes of the terminal, texts are JSON.
 */
export const shellPaths = ['/api/v1/ws/shell', '/ws/shell'] as const;

const side = Type.Integer({ minimum: 1, maximum: 10_000 });
export const terminalSize = { cols: side, rows: side };
const bytes = Type.Integer({ minimum: 1, maximum: SHELL_WINDOW_BYTES });

export const terminalName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$', maxLength: 64 });
export const shellCommand = Type.Array(Type.String({ maxLength: 32 * 1024 }), { minItems: 1, maxItems: 1_000 });

/** First message of the service to the daemon. */
export const ShellOrder = Type.Object({
  component: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  /** A shell of the container if missing. */
  command: Type.Optional(shellCommand),
  /** Whether the command gets a terminal; otherwise pipes. */
  tty: Type.Boolean(),
  ...terminalSize,
  term: terminalName,
});
export type ShellOrder = Static<typeof ShellOrder>;

const ack = Type.Object({ type: Type.Literal('ack'), bytes });

/** Texts towards the container. */
export const ToShell = Type.Union([
  Type.Object({ type: Type.Literal('resize'), ...terminalSize }),
  /** No more input follows; only without a terminal. */
  Type.Object({ type: Type.Literal('eof') }),
  ack,
]);
export type ToShell = Static<typeof ToShell>;

/** Texts towards the client. */
export const FromShell = Type.Union([
  Type.Object({
    type: Type.Literal('started'),
    component: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$', maxLength: 128 }),
  }),
  ack,
  /** The command has ended and all of its output was sent. */
  Type.Object({ type: Type.Literal('exit'), code: Type.Integer({ minimum: 0, maximum: 255 }) }),
  /** The session has failed or was ended. */
  Type.Object({
    type: Type.Literal('error'),
    code: Type.Enum(Object.keys(errorTable) as (keyof typeof errorTable)[]),
    message: Type.String({ maxLength: 2_000 }),
    reason: Type.Optional(Type.String({ pattern: '^[a-z_]{1,64}$', maxLength: 64 })),
  }),
]);
export type FromShell = Static<typeof FromShell>;
