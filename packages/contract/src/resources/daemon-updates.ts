import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { daemonUpdateMachine, updateTargetMachine } from '../machines/daemon-update.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';
import { daemonUpdateReasons } from '../releases/daemon-update.ts';
import { environments, labelPattern } from './server-records.ts';

/** Why a server that was asked for is not part of an update. */
const leftOutReasons = ['current', 'newer', 'updating', 'old_daemon', 'never_connected', 'no_release'] as const;

export const LeftOutServer = Type.Object(
  {
    server_id: id('server'),
    name: Type.String(),
    reason: choice(leftOutReasons, {
      description:
        'current: runs the version already. newer: runs a newer one, and allow_downgrade is not set. updating: is part of another update. old_daemon: its daemon cannot update itself. never_connected: nothing is known about its daemon. no_release: there is no signed binary of the version for its platform.',
    }),
    message: Type.String(),
  },
  { title: 'LeftOutServer' },
);
export type LeftOutServer = Static<typeof LeftOutServer>;

const UpdateStage = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    servers: Type.Integer({ minimum: 1, description: 'Number of servers in this stage.' }),
    done: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0, description: 'Returned, refused or unreachable.' }),
  },
  { title: 'UpdateStage' },
);

export const UpdateTarget = Type.Object(
  {
    id: id('daemonUpdateTarget'),
    server_id: id('server'),
    server_name: Type.String(),
    environment: choice(environments),
    stage: Type.Integer({ minimum: 1 }),
    status: choice(updateTargetMachine.states, {
      description:
        'returned: the new daemon did not prove itself, and the old one runs again. refused: the daemon did not accept the update. unreachable: no connection or no report in time.',
    }),
    from_version: nullable(Type.String()),
    reason: nullable(Type.String(), {
      examples: [...daemonUpdateReasons],
      description: 'Why it failed, in one word: that of the daemon, or old_daemon, offline, silent, removed.',
    }),
    error: nullable(Type.String(), { description: 'Why it failed, for people.' }),
    ordered_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    updated_at: Timestamp,
  },
  { title: 'UpdateTarget' },
);
export type UpdateTarget = Static<typeof UpdateTarget>;

export const DaemonUpdate = Type.Object(
  {
    id: id('daemonUpdate'),
    version: Type.String({ description: 'The version that the daemons are updated to.' }),
    status: choice(daemonUpdateMachine.states, {
      description:
        'halted: more daemons failed than max_failed; continue or cancel it. failed: the same, and no server is left.',
    }),
    error: nullable(Type.String(), { description: 'Why it was halted or failed, for people.' }),
    stage: Type.Integer({ minimum: 1, description: 'Number of the current stage.' }),
    stages: Type.Array(UpdateStage),
    max_failed: Type.Integer({ minimum: 0 }),
    allow_downgrade: Type.Boolean(),
    offline_minutes: Type.Integer({ minimum: 1 }),
    left_out: Type.Array(LeftOutServer),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'DaemonUpdate', description: 'An update of the daemons of several servers, in stages.' },
);
export type DaemonUpdate = Static<typeof DaemonUpdate>;

export const DaemonUpdateDetail = Type.Object(
  {
    ...DaemonUpdate.properties,
    targets: Type.Array(UpdateTarget, { description: 'The servers, in the order of the stages.' }),
  },
  { title: 'DaemonUpdateDetail' },
);
export type DaemonUpdateDetail = Static<typeof DaemonUpdateDetail>;

export const MAX_TARGETS = 500;

const Stage = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: MAX_TARGETS }),
    Type.String({ maxLength: 4, pattern: '^([1-9][0-9]?|100)%$', examples: ['25%'] }),
  ],
  { description: 'Number of servers, or a percentage of all, that are updated at the end of the stage.' },
);

export const DaemonUpdateOrder = Type.Object(
  {
    servers: Type.Optional(
      Type.Array(idParam('Id of a server.'), { minItems: 1, maxItems: MAX_TARGETS, uniqueItems: true }),
    ),
    label: Type.Optional(
      Type.String({ maxLength: 128, pattern: labelPattern, description: 'All servers with this label, as key=value.' }),
    ),
    all: Type.Optional(Type.Literal(true, { description: 'All servers of the account.' })),
    version: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Default: the newest signed release of this service.' }),
    ),
    stages: Type.Optional(
      Type.Array(Stage, {
        minItems: 1,
        maxItems: 20,
        default: [1, '25%', '100%'],
        description:
          'Cumulative and growing. Servers that the last stage leaves out are updated in one more. Servers in development come first, then staging, then production; servers that are given by id keep their order.',
      }),
    ),
    max_failed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_TARGETS,
        default: 0,
        description: 'Number of daemons that may fail before the rest is halted.',
      }),
    ),
    offline_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_080,
        default: 60,
        description: 'How long a stage waits for servers that are offline.',
      }),
    ),
    allow_downgrade: Type.Optional(Type.Boolean({ default: false, description: 'Accept an older version.' })),
  },
  {
    title: 'DaemonUpdateOrder',
    additionalProperties: false,
    description: 'Exactly one of servers, label and all.',
    examples: [{ all: true, stages: [1, '25%', '100%'] }],
  },
);
export type DaemonUpdateOrder = Static<typeof DaemonUpdateOrder>;

const params = Type.Object({ id: idParam('Id of an update of daemons.') });

export const daemonUpdateEndpoints = {
  'daemon-updates.list': endpoint({
    method: 'GET',
    path: '/daemon-updates',
    tag: 'daemon-updates',
    summary: 'List the updates of daemons, newest first',
    permission: 'servers:read',
    query: Type.Object({
      status: Type.Optional(choice(daemonUpdateMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(DaemonUpdate),
  }),
  'daemon-updates.create': endpoint({
    method: 'POST',
    path: '/daemon-updates',
    tag: 'daemon-updates',
    summary: 'Update the daemons of servers, in stages',
    description:
      'Each daemon downloads the release, verifies its signature, replaces itself and proves that it works, or returns to the old version by itself; containers keep running. A stage begins when all servers of the one before are done. Needs a signed release: npm run build:daemon -- --sign <key file>.',
    permission: 'servers:write',
    idempotent: true,
    status: 202,
    body: DaemonUpdateOrder,
    response: envelope(DaemonUpdateDetail),
  }),
  'daemon-updates.read': endpoint({
    method: 'GET',
    path: '/daemon-updates/{id}',
    tag: 'daemon-updates',
    summary: 'Read an update of daemons, with its servers',
    permission: 'servers:read',
    params,
    response: envelope(DaemonUpdateDetail),
  }),
  'daemon-updates.continue': endpoint({
    method: 'POST',
    path: '/daemon-updates/{id}/continue',
    tag: 'daemon-updates',
    summary: 'Continue a halted update of daemons',
    description: 'Accepts the failures so far; the remaining servers are updated, stage by stage.',
    permission: 'servers:write',
    params,
    response: envelope(DaemonUpdateDetail),
  }),
  'daemon-updates.cancel': endpoint({
    method: 'POST',
    path: '/daemon-updates/{id}/cancel',
    tag: 'daemon-updates',
    summary: 'Cancel an update of daemons',
    description: 'No further daemon is updated. Those that have begun finish, and their results are recorded.',
    permission: 'servers:write',
    params,
    response: envelope(DaemonUpdateDetail),
  }),
};
