import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, Timestamp } from '../envelope.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';

/** Bounds of a report. The daemon keeps to them; a report beyond them is refused. */
export const MAX_ERRORS = 50;
export const MAX_DETAIL = 8_192;

const time = Type.String({ format: 'date-time', maxLength: 40 });

const error = {
  level: choice(['error', 'fatal'], { description: 'fatal: the daemon ended because of it.' }),
  message: Type.String({ maxLength: 500, description: 'What the daemon was doing.' }),
  detail: nullable(Type.String({ maxLength: MAX_DETAIL }), {
    description: 'The error with its stack, and those of its causes. Without secrets.',
  }),
  fields: Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 256 }), {
    maxProperties: 20,
    description: 'What it concerns, such as the id of a deployment.',
  }),
  count: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'How often it happened.' }),
  first_at: time,
  last_at: time,
};

export const DaemonError = Type.Object(error, { title: 'DaemonError' });
export type DaemonError = Static<typeof DaemonError>;

const version = (description: string) => Type.String({ maxLength: 100, description });

const about = {
  version: version('Version of the daemon.'),
  node: version('Version of Node, with which it runs.'),
  os: Type.String({
    maxLength: 200,
    description: 'Operating system and kernel.',
    examples: ['Debian 12, Linux 6.1.0'],
  }),
  policy: nullable(Type.String({ maxLength: 16_384 }), { description: 'Its policy, in the format of policy.yaml.' }),
};

export const DiagnosticsReport = Type.Object(
  {
    ...about,
    errors: Type.Array(DaemonError, { maxItems: MAX_ERRORS, description: 'The last errors, which replace all known.' }),
  },
  {
    title: 'DiagnosticsReport',
    examples: [{ version: '1.4.0', node: '26.1.0', os: 'Debian 12, Linux 6.1.0', policy: null, errors: [] }],
  },
);
export type DiagnosticsReport = Static<typeof DiagnosticsReport>;

export const Diagnostics = Type.Object(
  {
    server_id: id('server'),
    service_version: Type.String(),
    daemons: Type.Array(
      Type.Object({
        member_id: nullable(id('clusterMember'), { description: 'Of a cluster: the member; otherwise null.' }),
        ...about,
        errors: Type.Array(DaemonError, { description: 'The last errors, newest first.' }),
        reported_at: Timestamp,
      }),
      { description: 'Empty until a daemon has reported. A cluster has one for each member.' },
    ),
  },
  { title: 'Diagnostics', description: 'What helps to find out why a daemon does not work.' },
);
export type Diagnostics = Static<typeof Diagnostics>;

const params = Type.Object({ id: idParam('Id of a server.') });

export const diagnosticEndpoints = {
  'diagnostics.read': endpoint({
    method: 'GET',
    path: '/servers/{id}/diagnostics',
    tag: 'servers',
    summary: 'Read versions and the last errors of the daemon of a server',
    description: 'The daemon reports its errors when it connects and when new ones occur, also those of a crash.',
    permission: 'instances:logs',
    params,
    response: envelope(Diagnostics),
  }),
  'diagnostics.report': endpoint({
    method: 'PUT',
    path: '/servers/{id}/diagnostics',
    tag: 'servers',
    summary: 'Report versions and the last errors of a daemon',
    permission: 'servers:report',
    daemon: true,
    withoutLead: true,
    params,
    body: DiagnosticsReport,
    response: envelope(Type.Object({ errors: Type.Integer({ minimum: 0, description: 'Number of stored errors.' }) })),
  }),
};
