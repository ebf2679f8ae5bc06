import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { shellCommand, terminalName, terminalSize } from '../protocol/shell.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';

export const shellEndings = [
  'exited',
  'refused',
  'idle',
  'revoked',
  'disconnected',
  'server_lost',
  'service_stopped',
  'failed',
] as const;

export const ShellSession = Type.Object(
  {
    id: id('shell'),
    instance_id: id('instance'),
    server_id: id('server'),
    component: nullable(Type.String(), { description: 'Null until the session has begun, if none was given.' }),
    terminal: Type.Boolean({ description: 'Whether the command has a terminal; otherwise pipes.' }),
    opened_by: Type.String({ description: 'Id of the key or user that opened it.' }),
    address: Type.String({ description: 'Address from which it was opened.' }),
    created_at: Timestamp,
    started_at: nullable(Timestamp, { description: 'Null if no client has connected.' }),
    ended_at: nullable(Timestamp),
    duration_ms: nullable(Type.Integer({ minimum: 0 }), { description: 'Null before the end.' }),
    ending: nullable(choice(shellEndings), { description: 'Why it ended; null before the end.' }),
    exit_code: nullable(Type.Integer(), { description: 'Of the command; null unless it has exited.' }),
    recorded_bytes: Type.Integer({ description: 'Bytes of output in the recording.' }),
    recording_cut: Type.Boolean({ description: 'Whether there was more output than a recording keeps.' }),
  },
  { title: 'ShellSession' },
);
export type ShellSession = Static<typeof ShellSession>;

export const ShellRequest = Type.Object(
  {
    component: Type.Optional(text(64, { description: 'Component to enter; the main one by default.' })),
    command: Type.Optional(shellCommand),
    terminal: Type.Optional(
      Type.Boolean({ default: true, description: 'False for scripts: pipes instead of a terminal.' }),
    ),
    cols: Type.Optional(terminalSize.cols),
    rows: Type.Optional(terminalSize.rows),
    term: Type.Optional(terminalName),
  },
  {
    title: 'ShellRequest',
    additionalProperties: false,
    examples: [{ component: 'web', command: ['ls', '-l'], cols: 80, rows: 24, term: 'xterm-256color' }],
  },
);
export type ShellRequest = Static<typeof ShellRequest>;

const RecordedOutput = Type.Tuple([
  Type.Number({ description: 'Seconds since the start.' }),
  Type.Literal('o'),
  Type.String({ description: 'Output.' }),
]);
export type RecordedOutput = Static<typeof RecordedOutput>;

export const ShellRecording = Type.Object(
  {
    header: Type.Object({
      version: Type.Literal(2),
      width: Type.Integer(),
      height: Type.Integer(),
      timestamp: Type.Integer({ description: 'Seconds since 1970.' }),
      command: Type.Optional(Type.String()),
      title: Type.String(),
      env: Type.Record(Type.String(), Type.String()),
    }),
    events: Type.Array(RecordedOutput),
    next: nullable(Type.Integer(), { description: 'As after it gives the following events; null at the end.' }),
  },
  { title: 'ShellRecording' },
);
export type ShellRecording = Static<typeof ShellRecording>;

const ofShell = Type.Object({ id: idParam('Id of a shell session.') });
const ofInstance = Type.Object({ id: idParam('Id of an instance.') });
const shared = { tag: 'shells' } as const;

export const shellEndpoints = {
  'shells.open': endpoint({
    ...shared,
    method: 'POST',
    path: '/instances/{id}/shells',
    summary: 'Open a shell in a container of an instance',
    description:
      'Then connect as a WebSocket to /ws/shell?session_id=… within a minute, with the same key or session. Output is recorded. docs/decisions/shell.md describes the messages.',
    permission: 'instances:shell',
    idempotent: true,
    status: 201,
    bodyLimit: 256 * 1024,
    params: ofInstance,
    body: ShellRequest,
    response: envelope(ShellSession),
  }),
  'shells.list': endpoint({
    ...shared,
    method: 'GET',
    path: '/instances/{id}/shells',
    summary: 'List the shell sessions of an instance, newest first',
    description: 'Sessions and their recordings are kept for 30 days.',
    permission: 'instances:recordings',
    params: ofInstance,
    query: Type.Object({ ...paging }),
    response: list(ShellSession),
  }),
  'shells.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/shells/{id}',
    summary: 'Read a shell session',
    permission: 'instances:recordings',
    params: ofShell,
    response: envelope(ShellSession),
  }),
  'shells.recording': endpoint({
    ...shared,
    method: 'GET',
    path: '/shells/{id}/recording',
    summary: 'Read the recorded output of a shell session',
    description:
      'Header and events of asciicast v2, in pages. Contains what the terminal showed, which may include secrets; input is not recorded. Each read is an audit event.',
    permission: 'instances:recordings',
    params: ofShell,
    query: Type.Object({
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'next of the page before.' })),
    }),
    response: envelope(ShellRecording),
  }),
};
