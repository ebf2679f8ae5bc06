import Type, { type Static } from 'typebox';
import { endpoint, live } from '../endpoint.ts';
import { list, paging, Timestamp } from '../envelope.ts';
import { id, idParam, nullable, text } from '../records/fields.ts';

export const Event = Type.Object(
  {
    id: id('event'),
    seq: Type.Integer({ description: 'Position in the list: increasing and unique, with possible gaps.' }),
    type: Type.String({
      description: 'A published event name, or audit.* for events that are never sent to webhooks.',
      examples: ['definition.created', 'audit.key.created'],
    }),
    account_id: id('account'),
    resource_type: Type.String({ examples: ['definition'] }),
    resource_id: Type.String({ description: 'Id of the resource.' }),
    created_at: Timestamp,
    actor: nullable(Type.String(), {
      description: 'Id of the user, key or server that caused it; null if the service did.',
    }),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'Facts of the event. Never a secret.' }),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

const listing = endpoint({
  method: 'GET',
  path: '/events',
  tag: 'events',
  summary: 'List the events that were fired, or follow them',
  description:
    'Newest first. With after: oldest first from that position, to follow the list without gaps. As a stream: every event as it is committed, from now on or after Last-Event-ID or after; pages are ignored.',
  permission: 'events:read',
  query: Type.Object({
    type: Type.Optional(
      text(100, { description: 'Only this event name. A trailing .* matches all names with that prefix: audit.*' }),
    ),
    resource_type: Type.Optional(text(64, { description: 'Only those of resources of this kind.' })),
    resource_id: Type.Optional(idParam('Only those of this resource.')),
    tenant_id: Type.Optional(
      idParam('Only those of this tenant and of its definitions, instances, deployments, executions and backups.'),
    ),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Only those from this time on.' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Only those before this time.' })),
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only those whose seq is greater.' }),
    ),
    ...paging,
  }),
  response: list(Event),
});

export const eventEndpoints = {
  'events.list': live(listing, {
    events: {
      change: 'an event, as in the list.',
      gap: 'events after `after` may be missing, because they are older than the retention period (removed) or the id is not of this database (unknown_id). The stream continues after `resumed_after`.',
    },
    ids: 'its seq',
  }),
};
