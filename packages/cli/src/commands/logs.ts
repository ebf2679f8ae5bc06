import type { Client } from '@hortus/client/client';
import { type ContainerLogLevel, containerLogLevels } from '@hortus/contract/protocol/log-filter';
import type { ContainerLine } from '@hortus/contract/resources/logs';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { LinePrinter } from '../following/container-log.ts';
import { showDeploymentLog } from '../following/deployment-log.ts';
import { isId } from '../lookup/by-name.ts';
import { findInstance } from '../lookup/instances.ts';
import { printJsonItem } from '../output/json.ts';
import { durationOf } from '../output/words.ts';
import type { World } from '../world/world.ts';

export const logs = command({
  name: 'logs',
  summary: 'Show what the containers of an instance write',
  about:
    'The server keeps the output of each component, also after a container has crashed or was removed. With --deployment: the log of a deployment.',
  args: ['instance?'],
  options: {
    follow: { type: 'boolean', short: 'f', about: 'Continue with new lines until you press Ctrl-C.' },
    component: { type: 'string', value: 'name', about: 'Only this component.' },
    since: {
      type: 'string',
      value: 'time',
      about: 'Only lines of the last 10m or 2h, or since a time such as 2030-01-31T12:00:00Z.',
    },
    until: { type: 'string', value: 'time', about: 'Only lines up to then; in the same form.' },
    tail: { type: 'string', value: 'number', about: 'Number of last lines; 200 by default, all with --since.' },
    grep: { type: 'string', value: 'words', about: 'Only lines with all of these words.' },
    level: {
      type: 'string',
      value: 'level',
      about: `Only lines of this level or above: ${containerLogLevels.join(', ')}.`,
    },
    deployment: {
      type: 'string',
      value: 'id',
      about: 'Show the log of this deployment, or of the newest one of an instance.',
    },
  },
  examples: [
    ['hortus logs miniflux', 'Last lines of all components of an instance.'],
    ['hortus logs -f miniflux --component db', 'Follows one component.'],
    ["hortus logs miniflux --since 10m --grep 'connection refused'", 'Searches the last ten minutes.'],
    ['hortus logs -f --deployment dep_01j9zq3v5t8x2m4n6p7r9s0abc', 'Follows a running deployment.'],
  ],
  calls: [
    'logs.instance',
    'instances.list',
    'instances.read',
    'deployments.read',
    'deployments.list',
    'definitions.list',
    'instances.deployments',
  ],
  async run({ args, options, json, client, world }) {
    const service = await client();
    if (options.deployment !== undefined)
      return await showDeploymentLog(service, world, options.deployment, { follow: options.follow, json });
    if (args.instance === undefined) throw new Failure('usage', 'Which instance? Give its name, or --deployment.');
    if (isId('deployment', args.instance))
      throw new Failure('usage', `${args.instance} is a deployment, not an instance.`, {
        hint: `hortus logs --deployment ${args.instance} shows its log.`,
      });
    const query = queryOf(options, world.now());
    const { id } = await findInstance(service, args.instance);
    const printer = new LinePrinter(world.terminal);
    const { terminal } = world;
    const show = (line: ContainerLine) => (json ? printJsonItem(terminal, line) : terminal.out(printer.print(line)));
    if (options.follow) await follow(service, world, id, query, show, printer);
    else for await (const line of read(service, id, query)) show(line);
    return 'ok';
  },
});

interface LogQuery {
  readonly component?: string;
  readonly since?: string;
  readonly until?: string;
  readonly tail?: number;
  readonly q?: string;
  readonly level?: ContainerLogLevel;
}

/** Lines of one request. */
const PAGE = 1_000;

/** Reads the last lines, or all since a time. */
async function* read(service: Client, id: string, query: LogQuery): AsyncGenerator<ContainerLine> {
  const params = { id };
  if (query.tail !== undefined || query.since === undefined) {
    yield* (await service.call('logs.instance', { params, query })).data.lines;
    return;
  }
  for (let after = '0'; ; ) {
    const { data } = await service.call('logs.instance', { params, query: { ...query, after, tail: PAGE } });
    yield* data.lines;
    if (data.lines.length === 0 || data.newer === null || data.newer === after) return;
    after = data.newer;
  }
}

async function follow(
  service: Client,
  world: World,
  id: string,
  query: LogQuery,
  show: (line: ContainerLine) => void,
  printer: LinePrinter,
): Promise<void> {
  for await (const { event, data } of service.stream('logs.instance', { params: { id }, query })) {
    if (event === 'line') show(data as ContainerLine);
    else world.terminal.note(printer.note((data as { text?: string }).text ?? event));
  }
}

function queryOf(
  { component, since, until, tail, grep, level }: Readonly<Record<string, unknown>>,
  now: number,
): LogQuery {
  const input = {
    component,
    since: timeOf('--since', since, now),
    until: timeOf('--until', until, now),
    tail: tail === undefined ? undefined : wholeOf(String(tail)),
    q: grep,
    level,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function wholeOf(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 5_000) return Number(text);
  throw new Failure('usage', '--tail must be a number up to 5000.');
}

/** Takes a duration before now, or a time. */
function timeOf(option: string, input: unknown, now: number): string | undefined {
  if (input === undefined) return undefined;
  const text = String(input);
  const before = durationOf(text);
  const time = before === undefined ? Date.parse(text) : now - before;
  if (Number.isNaN(time)) throw new Failure('usage', `${option} must be a duration such as 10m, or a time.`);
  return new Date(time).toISOString();
}
