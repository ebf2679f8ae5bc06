import Type, { type Static } from 'typebox';
import { endpoint, live } from '../endpoint.ts';
import { envelope, Timestamp } from '../envelope.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';

/** Time ranges of charts. Each has its own step, so that no answer has more than 336 points. */
const metricRanges = ['1h', '24h', '7d'] as const;
export type MetricRange = (typeof metricRanges)[number];

/** Query parameter of every series. */
export const range = Type.Optional(
  choice(metricRanges, {
    default: '1h',
    description: 'Time range that ends now, with one point per minute, per 5 minutes or per 30 minutes.',
  }),
);

/** Fields of every series. */
export const seriesFields = {
  range: choice(metricRanges),
  from: Timestamp,
  to: Timestamp,
  step_seconds: Type.Integer({
    minimum: 1,
    description: 'Each point is the average of this many seconds. Steps without a report have no point.',
  }),
};

const percentOfCore = (description: string) => Type.Number({ minimum: 0, maximum: 1e7, description });
const amount = (description: string) => Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes.' });
const usage = Type.Object({ used: bytes, free: bytes });

/** Fields of the load of a server. */
export const load = {
  memory: usage,
  cpu: Type.Object({
    cores: Type.Number({ minimum: 0, maximum: 65_536 }),
    used_percent: Type.Number({ minimum: 0, maximum: 100, description: 'Percentage of all cores together.' }),
  }),
  disk: usage,
};

const network = {
  received_bytes_per_second: amount('Received from its networks.'),
  sent_bytes_per_second: amount('Sent to its networks.'),
};
const blockDevices = {
  read_bytes_per_second: amount('Read from block devices; what the page cache had does not count.'),
  written_bytes_per_second: amount('Written to block devices.'),
};

/** Traffic of a server with the outside. */
export const Traffic = Type.Object(network);

/** Usage of one component of an instance, summed over its containers, since the previous report. */
export const ReportedUsage = Type.Object(
  {
    instance_uid: text(128),
    component: text(64),
    cpu_percent: percentOfCore('100 is one core.'),
    memory_bytes: amount('Without reclaimable caches.'),
    ...network,
    // Older daemons do not report these.
    read_bytes_per_second: Type.Optional(blockDevices.read_bytes_per_second),
    written_bytes_per_second: Type.Optional(blockDevices.written_bytes_per_second),
  },
  { title: 'ReportedUsage' },
);
export type ReportedUsage = Static<typeof ReportedUsage>;

export const UsagePoint = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'Start of the step.' }),
    cpu_percent: percentOfCore('100 is one core.'),
    cpu_percent_max: percentOfCore('Highest reported value of the step; summed over components.'),
    memory_bytes: amount('Without reclaimable caches.'),
    memory_bytes_max: amount('Highest reported value of the step; summed over components.'),
    ...network,
    ...blockDevices,
  },
  { title: 'UsagePoint' },
);
export type UsagePoint = Static<typeof UsagePoint>;

export const ComponentUsage = Type.Object(
  {
    component: Type.String(),
    cpu_percent: percentOfCore('100 is one core.'),
    memory_bytes: amount('Without reclaimable caches.'),
    ...network,
    ...blockDevices,
  },
  { title: 'ComponentUsage' },
);
export type ComponentUsage = Static<typeof ComponentUsage>;

const isLive = Type.Boolean({
  description: 'Whether the daemon measured it just now; otherwise it is the newest stored reading.',
});
const components = Type.Array(ComponentUsage, { description: 'Components with running containers.' });

export const InstanceReading = Type.Object(
  { instance_id: id('instance'), at: Timestamp, live: isLive, components },
  { title: 'InstanceReading' },
);
export type InstanceReading = Static<typeof InstanceReading>;

export const ServerReading = Type.Object(
  {
    server_id: id('server'),
    at: nullable(Timestamp, { description: 'Null when the server has never reported.' }),
    live: isLive,
    memory: nullable(load.memory),
    cpu: nullable(load.cpu),
    disk: nullable(load.disk),
    network: nullable(Traffic, { description: 'Traffic of the server with the outside; null in stored readings.' }),
    instances: Type.Array(
      Type.Object({ instance_id: id('instance'), instance_uid: Type.String(), name: Type.String(), components }),
      { description: 'Instances with running containers; empty without the permission instances:read.' },
    ),
  },
  { title: 'ServerReading' },
);
export type ServerReading = Static<typeof ServerReading>;

export const InstanceMetrics = Type.Object(
  {
    instance_id: id('instance'),
    ...seriesFields,
    components: Type.Array(Type.String(), { description: 'Components with data.' }),
    latest: nullable(InstanceReading, { description: 'The newest stored reading of the last hour.' }),
    points: Type.Array(UsagePoint, { description: 'Oldest first.' }),
  },
  { title: 'InstanceMetrics' },
);
export type InstanceMetrics = Static<typeof InstanceMetrics>;

const readings = {
  events: {
    reading:
      'a reading, about every 2 seconds, in the form of the JSON answer (for an instance: of its `latest`). The first one is the newest stored one.',
    delayed:
      'live readings are not available for the `reason` (`offline`, `old_daemon` or `unreachable`); stored readings follow as they arrive, about every 30 seconds.',
  },
  ids: 'the time of the reading; a stream that is opened again begins with the newest reading',
};

export const metricEndpoints = {
  'metrics.instance': live(
    endpoint({
      method: 'GET',
      path: '/instances/{id}/metrics',
      tag: 'instances',
      summary: 'Read or follow the resource usage of an instance',
      description:
        'CPU, memory, network and block devices, as reported by its daemon. As a stream: a reading of each component about every 2 seconds, in the form of `latest`.',
      permission: 'instances:read',
      params: Type.Object({ id: idParam('Id of an instance.') }),
      query: Type.Object({
        range,
        component: Type.Optional(text(64, { description: 'Only this component, instead of all together.' })),
      }),
      response: envelope(InstanceMetrics),
    }),
    readings,
  ),
  'metrics.server': live(
    endpoint({
      method: 'GET',
      path: '/servers/{id}/metrics',
      tag: 'servers',
      summary: 'Read or follow the resource usage of a server and its instances',
      description:
        'The newest stored reading. As a stream: a reading about every 2 seconds. GET /server-capacity/{server_id}/history has the series.',
      permission: 'servers:read',
      params: Type.Object({ id: idParam('Id of a server.') }),
      response: envelope(ServerReading),
    }),
    readings,
  ),
};
