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
  summary: 'List what happened, or follow it',
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      about: 'Go on with what happens from now on, one line each, until interrupted.',
    },
    type: { type: 'string', value: 'type', about: 'Only this event, or with .* at its end all that begin so.' },
    of: { type: 'string', value: 'id', about: 'Only of this resource.' },
    limit: { type: 'string', value: 'number', about: 'How many at most; 20 unless said.' },
  },
  examples: [
    ['hortus events', 'The last twenty.'],
    ["hortus events -f --type 'deployment.*'", 'Every deployment, as it begins and ends.'],
    ["hortus events --type 'audit.*' --limit 100 --json", 'Who did what, for a script.'],
  ],
  calls: ['events.list'],
  async run(call) {
    const { options, world, json } = call;
    const limit = Number(options.limit ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100)
      throw new Failure('usage', '--limit is a number from 1 to 100.');
    const query = {
      ...(options.type ? { type: options.type } : {}),
      ...(options.of ? { resource_id: options.of } : {}),
    };
    const client = await call.client();
    const { data } = await client.call('events.list', { query: { ...query, per_page: limit } });
    if (!options.follow) return printList(call, data, columns, 'Nothing has happened yet.');
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

/** One line each: a stream has no last row by which columns could be measured. With --json, one document a line. */
function tell({ terminal }: World, event: Event, json: boolean): void {
  if (json) terminal.out(`${JSON.stringify(event)}\n`);
  else terminal.out(`${safeLine(columns.map(({ text }) => text(event)).join('  '))}\n`);
}

/** Ends when the person does. */
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
