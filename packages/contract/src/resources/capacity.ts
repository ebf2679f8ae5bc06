import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { id, idParam, nullable } from '../records/fields.ts';
import { ReportedFingerprint } from '../records/fingerprint.ts';
import { NetworkUsage } from '../records/network-usage.ts';
import { bytes, load, ReportedUsage, range, seriesFields } from './metrics.ts';

export const Capacity = Type.Object(
  {
    server_id: id('server'),
    memory: nullable(load.memory),
    cpu: nullable(load.cpu),
    disk: nullable(load.disk),
    reported_at: nullable(Timestamp, { description: 'Null when the server has never reported.' }),
    age_seconds: nullable(Type.Integer({ minimum: 0 }), { description: 'Age of the report.' }),
  },
  { title: 'Capacity' },
);
export type Capacity = Static<typeof Capacity>;

export const CapacityReport = Type.Object(
  {
    ...load,
    fingerprint: Type.Optional(ReportedFingerprint),
    networks: Type.Optional(NetworkUsage),
    usage: Type.Optional(
      Type.Array(ReportedUsage, {
        maxItems: 10_000,
        description: 'Usage of the instances since the last report. Entries beyond 1,000 are ignored.',
      }),
    ),
  },
  {
    title: 'CapacityReport',
    examples: [
      {
        memory: { used: 2147483648, free: 6442450944 },
        cpu: { cores: 4, used_percent: 12.5 },
        disk: { used: 50000000000, free: 150000000000 },
      },
    ],
  },
);
export type CapacityReport = Static<typeof CapacityReport>;

export const CapacityPoint = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'Start of the step.' }),
    cpu: Type.Object({
      used_percent: Type.Number({ minimum: 0, maximum: 100, description: 'Percentage of all cores together.' }),
      max_percent: Type.Number({ minimum: 0, maximum: 100, description: 'Highest reported value of the step.' }),
    }),
    memory: Type.Object({ used: bytes, max_used: bytes, free: bytes }),
    disk: load.disk,
  },
  { title: 'CapacityPoint' },
);
export type CapacityPoint = Static<typeof CapacityPoint>;

export const CapacityHistory = Type.Object(
  {
    server_id: id('server'),
    ...seriesFields,
    points: Type.Array(CapacityPoint, { description: 'Oldest first.' }),
  },
  { title: 'CapacityHistory' },
);
export type CapacityHistory = Static<typeof CapacityHistory>;

const params = Type.Object({ server_id: idParam('Id of a server.') });

export const capacityEndpoints = {
  'capacity.list': endpoint({
    method: 'GET',
    path: '/server-capacity',
    tag: 'servers',
    summary: 'List the capacity of all servers',
    permission: 'servers:read',
    query: Type.Object({ ...paging }),
    response: list(Capacity),
  }),
  'capacity.read': endpoint({
    method: 'GET',
    path: '/server-capacity/{server_id}',
    tag: 'servers',
    summary: 'Read the capacity of a server',
    permission: 'servers:read',
    daemon: true,
    params,
    response: envelope(Capacity),
  }),
  'capacity.history': endpoint({
    method: 'GET',
    path: '/server-capacity/{server_id}/history',
    tag: 'servers',
    summary: 'Read the capacity history of a server',
    permission: 'servers:read',
    params,
    query: Type.Object({ range }),
    response: envelope(CapacityHistory),
  }),
  'capacity.report': endpoint({
    method: 'PUT',
    path: '/server-capacity/{server_id}',
    tag: 'servers',
    summary: 'Report the capacity of a server',
    permission: 'servers:report',
    daemon: true,
    params,
    body: CapacityReport,
    response: envelope(Capacity),
  }),
};
