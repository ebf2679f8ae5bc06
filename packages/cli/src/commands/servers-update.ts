import type { Client } from '@hortus/client/client';
import type { DaemonUpdateOrder } from '@hortus/contract/resources/daemon-updates';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { followDaemonUpdate } from '../following/daemon-update.ts';
import { findServer } from '../lookup/servers.ts';
import { agree, waiting, waitOptions } from '../orders/asking.ts';
import { leftOutLines, report, verdict } from '../output/daemon-update.ts';
import { printJson } from '../output/json.ts';
import { durationOf } from '../output/words.ts';

export const serversUpdate = command({
  name: 'servers update',
  summary: 'Update the daemons of servers, in stages',
  about:
    'Each daemon downloads the signed release of the service, verifies it, replaces itself, and returns to the old version by itself if the new one does not work.\nContainers keep running. A stage begins when all servers of the one before are done; a failure halts the rest.',
  args: ['server*'],
  options: {
    label: { type: 'string', value: 'key=value', about: 'All servers with this label.' },
    all: { type: 'boolean', about: 'All servers.' },
    stages: {
      type: 'string',
      value: 'sizes',
      about: 'Servers that are updated after each stage, as numbers or percentages; default 1,25%,100%.',
    },
    version: { type: 'string', value: 'version', about: 'Default: the newest signed release of the service.' },
    'max-failed': { type: 'string', value: 'number', about: 'Failures that do not halt the rest; default 0.' },
    offline: { type: 'string', value: 'time', about: 'How long a stage waits for offline servers; default 1h.' },
    'allow-downgrade': { type: 'boolean', about: 'Accept an older version.' },
    ...waitOptions,
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
  },
  examples: [
    ['hortus servers update web-1 --wait', 'One server; waits for the result.'],
    ['hortus servers update --label site=berlin --stages 1,50%,100%', 'One server, then half of them, then the rest.'],
    ['hortus servers update --all --max-failed 2 --json', 'Returns the update as JSON.'],
  ],
  calls: ['servers.list', 'servers.read', 'daemon-updates.create', 'daemon-updates.read'],
  async run(call) {
    const { args, options, json, world } = call;
    const client = await call.client();
    const { wait, timeout } = waiting(options);
    const body: DaemonUpdateOrder = {
      ...(await chosen(client, args.server, options)),
      ...(options.version !== undefined && { version: options.version }),
      ...(options.stages !== undefined && { stages: stagesOf(options.stages) }),
      ...(options['max-failed'] !== undefined && { max_failed: numberOf(options['max-failed']) }),
      ...(options.offline !== undefined && { offline_minutes: minutesOf(options.offline) }),
      ...(options['allow-downgrade'] && { allow_downgrade: true }),
    };
    const question = `Update the ${whose(body, args.server)}? Containers keep running.`;
    if (!(await agree(world, question, options.yes))) {
      world.terminal.note('Nothing was ordered.\n');
      return 'ok';
    }
    const { data: begun } = await client.call('daemon-updates.create', { body });
    if (!json && begun.left_out.length > 0) world.terminal.note(`Left out:\n${leftOutLines(begun)}`);
    const unfinished = `${begun.id} is still running; hortus servers updates ${begun.id} shows its state.`;
    const end = wait ? await followDaemonUpdate(client, begun, world, { timeout, unfinished, quiet: json }) : begun;
    if (json) printJson(world.terminal, end);
    else if (wait) world.terminal.out(report(world.terminal, end));
    else world.terminal.out(`${verdict(end)}\nhortus servers updates ${end.id} shows its state.\n`);
    return end.status === 'running' || end.status === 'completed' ? 'ok' : 'failed';
  },
});

interface Choice {
  readonly label: string | undefined;
  readonly all: boolean;
}

/** Reads which servers are meant: by name or id, by label, or all. */
async function chosen(
  client: Client,
  names: readonly string[],
  { label, all }: Choice,
): Promise<Pick<DaemonUpdateOrder, 'servers' | 'label' | 'all'>> {
  const ways = [names.length > 0, label !== undefined, all].filter(Boolean).length;
  if (ways !== 1)
    throw new Failure('usage', 'Name servers, or use either --label or --all.', {
      hint: 'hortus servers update web-1 web-2, or hortus servers update --all.',
    });
  if (all) return { all: true };
  if (label !== undefined) return { label };
  const servers: string[] = [];
  for (const name of names) servers.push((await findServer(client, name)).id);
  return { servers: [...new Set(servers)] };
}

function whose({ all, label }: DaemonUpdateOrder, names: readonly string[]): string {
  if (all) return 'daemons of all servers';
  if (label !== undefined) return `daemons of the servers with ${label}`;
  return `daemon${names.length === 1 ? '' : 's'} of ${names.join(', ')}`;
}

/** Reads `1,25%,100%`. The service checks the values. */
const stagesOf = (text: string): (number | string)[] =>
  text.split(',').map((part) => {
    const size = part.trim();
    return /^\d+$/.test(size) ? Number(size) : size;
  });

function numberOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Failure('usage', '--max-failed is a number such as 2.');
  return Number(text);
}

function minutesOf(text: string): number {
  const ms = durationOf(text);
  if (ms === undefined || ms < 60_000) throw new Failure('usage', '--offline is a time such as 30m or 2h.');
  return Math.round(ms / 60_000);
}
