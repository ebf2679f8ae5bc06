import type { Event } from '@hortus/contract/resources/events';
import Type from 'typebox';
import type { Service } from '../service.ts';
import { facts, listed } from '../text/bounded.ts';
import { cited, oneLine } from '../text/untrusted.ts';
import { readTool } from '../tool.ts';

/** Facts of an event that tell what happened; ids of other records follow from them. */
const reported = ['name', 'instance_uid', 'status', 'reason', 'error', 'slug'] as const;
/** Those that users and containers write. */
const written: ReadonlySet<string> = new Set(['name', 'error']);

const eventLine = ({ created_at, type, resource_id, data }: Event): string =>
  facts(
    `${created_at} ${type}`,
    resource_id,
    ...reported.map((field) => {
      const value = data[field];
      return typeof value === 'string' && value !== ''
        ? `${field} ${written.has(field) ? cited(value, 120) : oneLine(value, 120)}`
        : undefined;
    }),
  );

/** Lists the newest events; also the text of the resource. */
export async function eventsText(service: Service, filter: { type?: string; resource_id?: string }, per_page: number) {
  const { data } = await service.call('events.list', { query: { ...filter, per_page } });
  return listed(data, eventLine, { none: 'No events.', max: per_page });
}

export const listEvents = readTool({
  name: 'list_events',
  title: 'List events',
  description: 'List what happened, newest first: deployments, health, actions, changes, audit.',
  input: Type.Object(
    {
      type: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Event name such as deployment.failed, or instance.*',
        }),
      ),
      resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only of this record.' })),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'How many events.' })),
    },
    { additionalProperties: false },
  ),
  read: ({ service }, { count, ...filter }) => eventsText(service, filter, count ?? 20),
});
