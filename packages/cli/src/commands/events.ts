import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { Event } from '@hortus/contract/resources/events';
import { command } from '../command-line/command.ts';
import { printList } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findTenant } from '../lookup/tenants.ts';
import { printJsonItem } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';

const POLL_MS = 1_000;

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
    'of-type': { type: 'string', value: 'kind', about: 'Only events of resources of this kind, such as deployment.' },
    tenant: { type: 'string', value: 'tenant', about: 'Only events of this tenant and of what belongs to it.' },
    after: {
      type: 'string',
      value: 'seq',
      about: 'With --follow: begin after this event instead of with the last ones.',
    },
    limit: { type: 'string', value: 'number', about: 'Maximum number of entries; default 20.' },
  },
  examples: [
    ['hortus events', 'The last twenty.'],
    ["hortus events -f --type 'deployment.*'", 'Deployments as they start and finish.'],
    ["hortus events --type 'audit.*' --limit 100 --json", 'The audit log as JSON.'],
  ],
  calls: ['events.list', 'tenants.list', 'tenants.read'],
  async run(call) {
    const { options, world, json } = call;
    const limit = Number(options.limit ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100)
      throw new Failure('usage', '--limit must be a number from 1 to 100.');
    const client = await call.client();
    const query: Query = {
      ...(options.type ? { type: options.type } : {}),
      ...(options.of ? { resource_id: options.of } : {}),
      ...(options['of-type'] ? { resource_type: options['of-type'] } : {}),
      ...(options.tenant ? { tenant_id: (await findTenant(client, options.tenant)).id } : {}),
    };
    const on = (event: Event) => print(world, event, json);
    if (options.follow && options.after !== undefined)
      return await follow(world, client, query, seqOf(options.after), on);
    const { data } = await client.call('events.list', { query: { ...query, per_page: limit } });
    if (!options.follow) return printList(call, data, columns, 'No events yet.');
    data.toReversed().forEach(on);
    return await follow(world, client, query, data[0]?.seq ?? (await newestSeq(client)), on);
  },
});

type Query = { type?: string; resource_id?: string; resource_type?: string; tenant_id?: string };

const newestSeq = async (client: Client): Promise<number> =>
  (await client.call('events.list', { query: { per_page: 1 } })).data[0]?.seq ?? 0;

function seqOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure('usage', '--after must be the seq of an event.');
}

const columns = [
  { title: 'When', text: ({ created_at }: Event) => created_at },
  { title: 'Event', text: ({ type }: Event) => type },
  { title: 'Of', text: ({ resource_id }: Event) => resource_id },
  { title: 'By', text: ({ actor }: Event) => actor ?? 'the service' },
];

/** Prints one event per line, unaligned, because a stream has no final column width. With --json, one document per line. */
function print({ terminal }: World, event: Event, json: boolean): void {
  if (json) printJsonItem(terminal, event);
  else terminal.out(`${safeLine(columns.map(({ text }) => text(event)).join('  '))}\n`);
}

/** Runs until interrupted. Follows the stream of the service; polls an older service, which has none. */
async function follow(
  world: World,
  client: Client,
  query: Query,
  from: number,
  on: (event: Event) => void,
): Promise<never> {
  let after = from;
  const passOn = (event: Event) => {
    on(event);
    after = event.seq;
  };
  try {
    for await (const { event, data } of client.stream('events.list', { query: { ...query, after }, attempts: 1 })) {
      if (event === 'gap')
        world.terminal.note('Some events are missing: they are older than what the service keeps.\n');
      else if (event === 'change') passOn(data as Event);
    }
  } catch (error) {
    if (!(error instanceof ApiProblem) || !isWithoutStream(error)) throw error;
    world.terminal.note('The service offers no stream now; asking it every second.\n');
  }
  for (; ; await world.pause(POLL_MS)) {
    const { data } = await client.call('events.list', { query: { ...query, after, per_page: 100 } });
    data.forEach(passOn);
  }
}

/** An older service answers JSON; one with too many open streams refuses another. */
const isWithoutStream = ({ code, details }: ApiProblem): boolean =>
  code === 'BAD_ANSWER' || (code === 'RATE_LIMITED' && details.reason === 'stream_limit');
