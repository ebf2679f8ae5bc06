import type { Client } from '@hortus/client/client';
import type { Server } from '@hortus/contract/resources/server-records';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { findServer } from '../lookup/servers.ts';
import { printJsonItem } from '../output/json.ts';
import { frame, tables } from '../top/frame.ts';
import { type Sort, sorts, type Watched } from '../top/rows.ts';
import { MAX_SERVERS, readOnce, watchAll } from '../top/watch.ts';
import type { World } from '../world/world.ts';

export const top = command({
  name: 'top',
  summary: 'Show what servers and instances use now',
  about:
    'CPU, memory, network and disk, refreshed in place about every 2 seconds at a terminal; once without one. s changes the order, q quits. CPU of an instance is in percent of one core.',
  options: {
    server: { type: 'string', value: 'server', about: 'Only this server.' },
    sort: { type: 'string', value: 'by', about: `Order: ${sorts.join(', ')}; cpu by default.` },
    once: { type: 'boolean', about: 'Print the newest stored readings once.' },
  },
  examples: [
    ['hortus top', 'All servers and instances, refreshed in place.'],
    ['hortus top --server web-1 --sort memory', 'One server, the largest memory first.'],
    ['hortus top --once', 'One table, such as for a report.'],
    ['hortus top --json', 'Each reading as one line of JSON, until interrupted.'],
  ],
  calls: ['metrics.server', 'servers.list', 'servers.read'],
  async run({ options, json, client, world }) {
    const { terminal } = world;
    const sort = sortOf(options.sort);
    const service = await client();
    const servers = await serversOf(service, options.server);
    if (servers.length === 0) {
      if (!json) terminal.out('No servers yet. Register one with hortus servers register <name>\n');
      return 'ok';
    }
    const watched = await readOnce(service, servers);
    const isFollowed = !options.once && (json || (terminal.live && terminal.interactive));
    if (json) {
      for (const { reading } of watched) printJsonItem(terminal, reading);
      if (isFollowed) await printReadings(service, world, watched);
    } else if (isFollowed) await showScreen(service, world, watched, sort);
    else terminal.out(tables(terminal, watched, sort));
    return 'ok';
  },
});

async function serversOf(client: Client, input: string | undefined): Promise<Server[]> {
  if (input !== undefined) return [await findServer(client, input)];
  const all = await Array.fromAsync(client.pages('servers.list'));
  if (all.length > MAX_SERVERS)
    throw new Failure('usage', `${all.length} servers are more than fit; choose one with --server.`);
  return all;
}

function sortOf(input: string | undefined): Sort {
  const found = sorts.find((sort) => sort === (input ?? 'cpu'));
  if (found === undefined) throw new Failure('usage', `--sort must be one of ${sorts.join(', ')}.`);
  return found;
}

async function printReadings(client: Client, world: World, watched: readonly Watched[]): Promise<void> {
  const shown = new Map(watched.map(({ server, reading }) => [server.id, reading?.at]));
  const never = new AbortController();
  await watchAll(client, world, watched, {
    signal: never.signal,
    changed({ server, reading }) {
      if (!reading || shown.get(server.id) === reading.at) return;
      shown.set(server.id, reading.at);
      printJsonItem(world.terminal, reading);
    },
  });
}

/** Readings of several servers arrive one after the other; one frame shows all of them. */
const COLLECT_MS = 200;

async function showScreen(client: Client, world: World, first: readonly Watched[], sorted: Sort): Promise<void> {
  const { terminal } = world;
  const watched = new Map(first.map((watched) => [watched.server.id, watched]));
  const over = new AbortController();
  let sort = sorted;
  let soon: NodeJS.Timeout | undefined;
  const draw = () => {
    clearTimeout(soon);
    soon = undefined;
    screen.draw(frame(terminal, screen, [...watched.values()], sort));
  };
  const screen = terminal.openScreen({
    key(character) {
      if (character === 'q') return over.abort();
      if (character !== 's') return;
      sort = sorts[(sorts.indexOf(sort) + 1) % sorts.length] ?? 'cpu';
      draw();
    },
    resized: draw,
  });
  try {
    draw();
    await watchAll(client, world, first, {
      signal: over.signal,
      changed(now) {
        watched.set(now.server.id, now);
        soon ??= setTimeout(draw, COLLECT_MS);
      },
    });
  } finally {
    clearTimeout(soon);
    screen.close();
  }
}
