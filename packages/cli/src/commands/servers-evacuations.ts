import type { Evacuation } from '@hortus/contract/resources/evacuations';
import { command } from '../command-line/command.ts';
import { evacuationWords, followEvacuation } from '../following/evacuation.ts';
import { findServer, serverNames } from '../lookup/servers.ts';
import { waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { table } from '../output/table.ts';
import { ago } from '../output/words.ts';

export const serversEvacuations = command({
  name: 'servers evacuations',
  summary: 'List the evacuations of a server, newest first',
  args: ['server'],
  examples: [['hortus servers evacuations web-1', 'How often it was emptied, and with what result.']],
  calls: ['servers.list', 'servers.read', 'evacuations.list'],
  async run({ args, json, client, world: { terminal, now } }) {
    const service = await client();
    const { id, name } = await findServer(service, args.server);
    const { data } = await service.call('evacuations.list', { params: { id }, query: { per_page: 100 } });
    if (json) printJson(terminal, data);
    else if (data.length === 0)
      terminal.out(`No evacuations yet. Start one with hortus servers drain ${name} --move\n`);
    else
      terminal.out(
        table<Evacuation>(
          terminal,
          [
            { title: 'Evacuation', text: (server) => server.id },
            { title: 'Status', text: ({ status }) => status },
            { title: 'Moved', text: ({ moved, total }) => `${moved} of ${total}` },
            { title: 'Stuck', text: ({ stuck }) => String(stuck) },
            { title: 'Ordered', text: ({ created_at }) => ago(created_at, now()) },
          ],
          data,
        ),
      );
    return 'ok';
  },
});

export const serversEvacuationsShow = command({
  name: 'servers evacuations show',
  summary: 'Show the moves of an evacuation',
  args: ['evacuation'],
  options: waitOptions,
  examples: [['hortus servers evacuations show evc_01j9zq3v5t8x2m4n6p7r9s0abc --wait', 'Follows it to its end.']],
  calls: ['evacuations.read', 'servers.list'],
  async run({ args, options, json, client, world }) {
    const { wait, timeout } = waiting(options);
    const service = await client();
    const { data } = await service.call('evacuations.read', { params: { id: args.evacuation } });
    if (json && !wait) {
      printJson(world.terminal, data);
      return 'ok';
    }
    const nameOf = await serverNames(service);
    const waitOptions = { timeout: wait ? timeout : 0, unfinished: `${evacuationWords(data)} It continues.` };
    const end = await followEvacuation(service, data.id, world, waitOptions, nameOf, !json);
    if (json) printJson(world.terminal, end);
    else world.terminal.out(`${evacuationWords(end)}\n`);
    return end.status === 'completed' ? 'ok' : 'failed';
  },
});

export const serversEvacuationsCancel = command({
  name: 'servers evacuations cancel',
  summary: 'Cancel an evacuation',
  about: 'Migrations that have begun continue. The server stays drained until hortus servers activate.',
  args: ['evacuation'],
  examples: [['hortus servers evacuations cancel evc_01j9zq3v5t8x2m4n6p7r9s0abc', 'Begins no further move.']],
  calls: ['evacuations.cancel'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { data } = await service.call('evacuations.cancel', { params: { id: args.evacuation } });
    if (json) printJson(terminal, data);
    else terminal.out(`${evacuationWords(data)}\n`);
    return 'ok';
  },
});
