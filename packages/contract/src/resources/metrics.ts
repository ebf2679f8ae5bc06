import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, Timestamp } from '../envelope.ts';
import { choice, givenId, id, text } from '../fields.ts';

/** Time ranges of charts. Each has its own step, so that no answer has more than 336 points. */
export const metricRanges = ['1h', '24h', '7d'] as const;
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

export const percentOfCore = (description: string) => Type.Number({ minimum: 0, maximum: 1e7, description });
const amount = (description: string) => Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** Usage of one component of an instance, summed over its containers, since the previous report. */
export const ReportedUsage = Type.Object(
  {
    instance_uid: text(128),
    component: text(64),
    cpu_percent: percentOfCore('100 is one core.'),
    memory_bytes: amount('Without reclaimable caches.'),
    received_bytes_per_second: amount('Received from its networks.'),
    sent_bytes_per_second: amount('Sent to its networks.'),
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
    received_bytes_per_second: amount('Received from its networks.'),
    sent_bytes_per_second: amount('Sent to its networks.'),
  },
  { title: 'UsagePoint' },
);
export type UsagePoint = Static<typeof UsagePoint>;

export const InstanceMetrics = Type.Object(
  {
    instance_id: id('instance'),
    ...seriesFields,
    components: Type.Array(Type.String(), { description: 'Components with data.' }),
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
    summary: 'Read the resource usage of an instance',
    description: 'CPU, memory and network, as reported by its daemon.',
    permission: 'instances:read',
    params: Type.Object({ id: givenId('Id of an instance.') }),
    query: Type.Object({
      range,
      component: Type.Optional(text(64, { description: 'Only this component, instead of all together.' })),
    }),
    response: answer(InstanceMetrics),
  }),
};
