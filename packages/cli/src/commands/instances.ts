import { instanceMachine } from '@hortus/contract/machines/instance';
import type { Drift, Instance } from '@hortus/contract/resources/instance-records';
import { command } from '../command-line/command.ts';
import { findingsOf } from '../condition/findings.ts';
import { gather } from '../condition/gather.ts';
import { printFindings } from '../condition/print.ts';
import { Failure } from '../failure.ts';
import { findInstance } from '../lookup/instances.ts';
import { findServer, serverNames } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { sparkline } from '../output/sparkline.ts';
import { status } from '../output/status.ts';
import { facts, table } from '../output/table.ts';
import { ago, lasting, memory } from '../output/words.ts';

export const instancesList = command({
  name: 'instances list',
  summary: 'List the instances',
  options: {
    server: { type: 'string', value: 'server', about: 'Only on this server.' },
    status: { type: 'string', value: 'status', about: `Only ${instanceMachine.states.join(', ')}.` },
    all: { type: 'boolean', about: 'Include released instances.' },
  },
  examples: [
    ['hortus instances', 'Short for hortus instances list.'],
    ['hortus instances list --server web-1 --status failed', 'Failed instances of one server.'],
  ],
  calls: ['instances.list', 'servers.list', 'servers.read'],
  async run({ options, json, client, world: { terminal } }) {
    const state = instanceMachine.states.find((word) => word === options.status);
    if (options.status !== undefined && state === undefined) {
      throw new Failure('usage', `--status must be one of ${instanceMachine.states.join(', ')}.`);
    }
    const service = await client();
    const query = {
      ...(options.server ? { server_id: (await findServer(service, options.server)).id } : {}),
      ...(state ? { status: state } : {}),
    };
    const all = await Array.fromAsync(service.pages('instances.list', { query }));
    const shown = options.all || state ? all : all.filter((instance) => instance.status !== 'released');
    if (json) printJson(terminal, shown);
    else if (shown.length === 0) terminal.out('No instances yet. Deploy one with hortus deploy <species>\n');
    else {
      const serverName = await serverNames(service);
      terminal.out(
        table<Instance>(
          terminal,
          [
            { title: 'Name', text: ({ instance_uid }) => instance_uid },
            { title: 'Species', text: ({ species }) => species },
            { title: 'Server', text: ({ server_id }) => serverName(server_id) },
            { title: 'Status', painted: (instance) => status(terminal, instance.status) },
            { title: 'Health', painted: (instance) => status(terminal, instance.health) },
            { title: 'Running for', text: runningFor },
            { title: 'Address', text: ({ url }) => url ?? '' },
          ],
          shown,
        ),
      );
    }
    return 'ok';
  },
});

const runningFor = ({ status: now, uptime_seconds }: Instance): string =>
  now === 'running' ? lasting(uptime_seconds * 1000) : '';

const reported = (value: unknown): string =>
  value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

const driftColumns = [
  { title: 'Drift', text: ({ component, field }: Drift) => (component ? `${component} ${field}` : field) },
  { title: 'Deployed', text: ({ declared }: Drift) => reported(declared) },
  { title: 'Found', text: ({ actual }: Drift) => reported(actual) },
];

const lastHour = (values: readonly number[], words: (value: number) => string): string | undefined =>
  values.length === 0
    ? undefined
    : `${sparkline(values)} ${words(values.at(-1) ?? 0)}, at most ${words(Math.max(...values))} in the last hour`;

export const instancesShow = command({
  name: 'instances show',
  summary: 'Show an instance, its containers, and what to do if it is not well',
  args: ['instance'],
  examples: [['hortus instances show miniflux', 'By uid or id.']],
  calls: [
    'instances.list',
    'instances.read',
    'servers.list',
    'servers.read',
    'metrics.instance',
    'definitions.read',
    'deployments.list',
    'backups.list',
    'upgrades.list',
  ],
  async run({ args, json, client, world: { terminal, now } }) {
    const service = await client();
    const instance = await findInstance(service, args.instance);
    if (json) {
      printJson(terminal, instance);
      return 'ok';
    }
    const serverName = await serverNames(service);
    const { points } = (await service.call('metrics.instance', { params: { id: instance.id }, query: { range: '1h' } }))
      .data;
    const percent = (value: number) => `${value.toFixed(1)} % of a core`;
    terminal.out(
      facts(terminal, [
        [
          'Name',
          instance.name === instance.instance_uid ? instance.name : `${instance.name} (${instance.instance_uid})`,
        ],
        ['Species', instance.species],
        ['Server', serverName(instance.server_id)],
        ['Status', { painted: status(terminal, instance.status) }],
        ['Health', { painted: status(terminal, instance.health) }],
        ['Revision', instance.revision === null ? 'none yet' : String(instance.revision)],
        ['Address', instance.url],
        ['Running for', runningFor(instance)],
        [
          'Processor',
          lastHour(
            points.map((point) => point.cpu_percent_max),
            percent,
          ),
        ],
        [
          'Memory',
          lastHour(
            points.map((point) => point.memory_bytes_max),
            memory,
          ),
        ],
        ['Reported', ago(instance.last_reported_at, now())],
        ['Drifted', instance.drifted_at && ago(instance.drifted_at, now())],
        ['Container', instance.container_name],
        ['Definition', instance.definition_id],
        ['Id', instance.id],
      ]),
    );
    if (instance.components.length > 0) {
      type Row = (typeof instance.components)[number];
      const columns = [
        { title: 'Component', text: ({ name }: Row) => name },
        { title: 'Status', painted: (row: Row) => status(terminal, row.status) },
        { title: 'Health', painted: (row: Row) => status(terminal, row.health) },
        { title: 'Image', text: ({ image }: Row) => image ?? '' },
        // Only components of a cluster have nodes.
        ...(instance.components.some(({ nodes }) => nodes !== undefined)
          ? [{ title: 'Nodes', text: ({ nodes = [] }: Row) => nodes.join(', ') }]
          : []),
      ];
      terminal.out(`\n${table(terminal, columns, instance.components)}`);
    }
    if (instance.drift.length > 0) terminal.out(`\n${table(terminal, driftColumns, instance.drift)}`);
    if (instance.status === 'released') return 'ok';
    const { condition } = await gather(service, instance);
    const findings = findingsOf(condition, now());
    terminal.out('\n');
    printFindings(terminal, findings);
    if (findings.every(({ state }) => state === 'note')) terminal.out('All is well.\n');
    return 'ok';
  },
});
