import type { Client } from '@hortus/client/client';
import type { Event } from '@hortus/contract/resources/events';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { safeLine } from '../output/safe-text.ts';
import { printList } from '../printing.ts';
import type { World } from '../world.ts';

const LOOK_MS = 1_000;

export const events = command({
  name: 'events',
  summary: 'List or follow events',
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      about: 'Keep printing new events until interrupted.',
    },
    type: { type: 'string', value: 'type', about: 'Only this type; a trailing .* matches all types with that prefix.' },
    of: { type: 'string', value: 'id', about: 'Only events of this resource.' },
    limit: { type: 'string', value: 'number', about: 'Maximum number of entries; default 20.' },
  },
  examples: [
    ['hortus events', 'The last twenty.'],
    ["hortus events -f --type 'deployment.*'", 'Deployments as they start and finish.'],
    ["hortus events --type 'audit.*' --limit 100 --json", 'The audit log as JSON.'],
  ],
  calls: ['events.list'],
  async run(call) {
    const { options, world, json } = call;
    const limit = Number(options.limit ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100)
      throw new Failure('usage', '--limit must be a number from 1 to 100.');
    const query = {
      ...(options.type ? { type: options.type } : {}),
      ...(options.of ? { resource_id: options.of } : {}),
    };
    const client = await call.client();
    const { data } = await client.call('events.list', { query: { ...query, per_page: limit } });
    if (!options.follow) return printList(call, data, columns, 'No events yet.');
    for (const event of data.toReversed()) tell(world, event, json);
    await follow(world, client, query, data[0]?.seq ?? 0, (event) => tell(world, event, json));
    return 'ok';
  },
});

const columns = [
  { title: 'When', text: ({ created_at }: Event) => created_at },
  { title: 'Event', text: ({ type }: Event) => type },
  { title: 'Of', text: ({ resource_id }: Event) => resource_id },
  { title: 'By', text: ({ actor }: Event) => actor ?? 'the service' },
];

/** Prints one event per line, unaligned, because a stream has no final column width. With --json, one document per line. */
function tell({ terminal }: World, event: Event, json: boolean): void {
  if (json) terminal.out(`${JSON.stringify(event)}\n`);
  else terminal.out(`${safeLine(columns.map(({ text }) => text(event)).join('  '))}\n`);
}

/** Runs until interrupted. */
async function follow(
  world: World,
  client: Client,
  query: { type?: string; resource_id?: string },
  from: number,
  on: (event: Event) => void,
): Promise<never> {
  for (let after = from; ; await world.pause(LOOK_MS)) {
    const { data } = await client.call('events.list', { query: { ...query, after, per_page: 100 } });
    for (const event of data) {
      on(event);
      after = event.seq;
    }
  }
}
