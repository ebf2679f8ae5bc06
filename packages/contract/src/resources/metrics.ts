import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, Timestamp } from '../envelope.ts';
import { choice, givenId, id, text } from '../fields.ts';

/** How far charts go back. Each range has its own step, so that no answer has more than 336 points. */
export const metricRanges = ['1h', '24h', '7d'] as const;
export type MetricRange = (typeof metricRanges)[number];

/** The query of every series. */
export const range = Type.Optional(
  choice(metricRanges, { default: '1h', description: 'Until now: a point a minute, every 5 minutes, or every 30.' }),
);

/** What every series says of itself. */
export const seriesFields = {
  range: choice(metricRanges),
  from: Timestamp,
  to: Timestamp,
  step_seconds: Type.Integer({
    minimum: 1,
    description: 'A point is the average of so many seconds. Where nothing was reported there is none.',
  }),
};

export const percentOfCore = (description: string) => Type.Number({ minimum: 0, maximum: 1e7, description });
const amount = (description: string) => Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** What one component of an instance used, all its containers together, since the report before. */
export const ReportedUsage = Type.Object(
  {
    instance_uid: text(128),
    component: text(64),
    cpu_percent: percentOfCore('100 is one core.'),
    memory_bytes: amount('Without caches that give way.'),
    received_bytes_per_second: amount('From its networks.'),
    sent_bytes_per_second: amount('To its networks.'),
  },
  { title: 'ReportedUsage' },
);
export type ReportedUsage = Static<typeof ReportedUsage>;

export const UsagePoint = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'When its step began.' }),
    cpu_percent: percentOfCore('100 is one core.'),
    cpu_percent_max: percentOfCore('The highest report of the step; of several components, the sum of theirs.'),
    memory_bytes: amount('Without caches that give way.'),
    memory_bytes_max: amount('The highest report of the step; of several components, the sum of theirs.'),
    received_bytes_per_second: amount('From its networks.'),
    sent_bytes_per_second: amount('To its networks.'),
  },
  { title: 'UsagePoint' },
);
export type UsagePoint = Static<typeof UsagePoint>;

export const InstanceMetrics = Type.Object(
  {
    instance_id: id('instance'),
    ...seriesFields,
    components: Type.Array(Type.String(), { description: 'Those that something is known of.' }),
    points: Type.Array(UsagePoint, { description: 'Oldest first.' }),
  },
  { title: 'InstanceMetrics' },
);
export type InstanceMetrics = Static<typeof InstanceMetrics>;

export const metricEndpoints = {
  'metrics.instance': endpoint({
    method: 'GET',
    path: '/instances/{id}/metrics',
    tag: 'instances',
    summary: 'Read what an instance used, for a chart',
    description: 'Processor, memory and network, as its daemon reported them.',
    permission: 'instances:read',
    params: Type.Object({ id: givenId('Id of an instance.') }),
    query: Type.Object({
      range,
      component: Type.Optional(text(64, { description: 'Only this component, instead of all together.' })),
    }),
    response: answer(InstanceMetrics),
  }),
};
