import { readLabels } from '../arguments/label-options.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { findServer } from '../lookup/servers.ts';
import { waiting, waitOptions } from '../orders/asking.ts';
import { evacuate } from '../orders/evacuating.ts';
import { drainedText } from '../output/drained.ts';
import { printJson } from '../output/json.ts';

export const serversDrain = command({
  name: 'servers drain',
  summary: 'Drain a server, and move its instances away with --move',
  about:
    'The server gets no new deployments; running instances keep running. With --move, shows where each goes and why,\nasks, and then moves them with their data, several at a time. The service does the work: ending this command does\nnot stop it, and hortus servers evacuations show follows it again.',
  args: ['server'],
  options: {
    move: { type: 'boolean', about: 'Move everything to other servers with room.' },
    'at-once': { type: 'string', value: 'number', about: 'Migrations at the same time, 1 to 8; default 2.' },
    label: { type: 'string', value: 'key=value', multiple: true, about: 'With --move: a label of the targets.' },
    'dry-run': { type: 'boolean', about: 'With --move: only show the plan, and do not drain.' },
    yes: { type: 'boolean', about: 'Skip the confirmation.' },
    ...waitOptions,
  },
  examples: [
    ['hortus servers drain web-1', 'Before you switch the machine off.'],
    ['hortus servers drain web-1 --move --dry-run', 'Where each instance would go, and which cannot move.'],
    ['hortus servers drain web-1 --move --at-once 3 --yes --wait', 'Empties the server and shows the progress.'],
  ],
  calls: ['servers.list', 'servers.read', 'servers.drain', 'evacuations.create', 'evacuations.read'],
  async run(call) {
    const { args, options, json, world } = call;
    const service = await call.client();
    const server = await findServer(service, args.server);
    const { wait, timeout } = waiting(options);
    if (options.move) {
      const order = { at_once: numberOf(options['at-once']), labels: readLabels(options.label) };
      const how = { dryRun: options['dry-run'], yes: options.yes, json, wait, timeout };
      return await evacuate(world, service, server, order, how);
    }
    if (options['dry-run'] || options.label.length > 0 || options['at-once'] !== undefined)
      throw new Failure('usage', '--dry-run, --label and --at-once are only for --move.');
    const { data } = await service.call('servers.drain', { params: { id: server.id } });
    if (json) printJson(world.terminal, data);
    else world.terminal.out(drainedText(world.terminal, data));
    return 'ok';
  },
});

function numberOf(text: string | undefined): number {
  if (text === undefined) return 2;
  if (!/^[1-8]$/.test(text)) throw new Failure('usage', '--at-once is a number from 1 to 8.');
  return Number(text);
}

const activation = {
  args: ['server'],
  calls: ['servers.list', 'servers.read', 'servers.undrain'],
} as const;

export const serversUndrain = command({
  ...activation,
  name: 'servers undrain',
  summary: 'Put a drained server back into use',
  about: 'Cancels its evacuation, if one is running; what has moved stays where it is.',
  examples: [['hortus servers undrain web-1', 'Allows deployments again.']],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { id } = await findServer(service, args.server);
    const { data } = await service.call('servers.undrain', { params: { id } });
    if (json) printJson(terminal, data);
    else terminal.out(`${data.name} is ${data.status} and takes deployments again.\n`);
    return 'ok';
  },
});

export const serversActivate = command({
  ...activation,
  name: 'servers activate',
  summary: 'Put a drained server back into use (same as undrain)',
  examples: [['hortus servers activate web-1', 'Allows deployments again and cancels its evacuation.']],
  run: serversUndrain.run,
});
