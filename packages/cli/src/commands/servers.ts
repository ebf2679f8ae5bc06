import type { Fingerprint } from '@hortus/contract/records/fingerprint';
import type { Server } from '@hortus/contract/resources/server-records';
import { command } from '../command-line/command.ts';
import { findServer } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { labelWords } from '../output/labels.ts';
import { roomForNetworks } from '../output/room-for-networks.ts';
import { sparkline } from '../output/sparkline.ts';
import { status } from '../output/status.ts';
import { facts, table } from '../output/table.ts';
import { ago, disk, memory } from '../output/words.ts';
import { describeIdentity, describeTrust } from './servers-identity.ts';

export const serversList = command({
  name: 'servers list',
  summary: 'List the servers',
  examples: [['hortus servers list', 'Status and last contact of each server.']],
  calls: ['servers.list'],
  async run({ json, client, world: { terminal, now } }) {
    const servers = await Array.fromAsync((await client()).pages('servers.list'));
    if (json) printJson(terminal, servers);
    else if (servers.length === 0) terminal.out('No servers yet. Register one with hortus servers register <name>\n');
    else {
      terminal.out(
        table<Server>(
          terminal,
          [
            { title: 'Name', text: ({ name }) => name },
            { title: 'Status', painted: (server) => status(terminal, server.status) },
            // A service of an earlier version does not say.
            { title: 'Trusted', text: ({ trusted }) => (trusted === false ? 'no' : 'yes') },
            { title: 'Environment', text: ({ environment }) => environment },
            { title: 'Daemon', text: ({ daemon }) => daemonVersion(daemon) },
            { title: 'Last seen', text: ({ last_seen_at }) => ago(last_seen_at, now()) },
            { title: 'Id', text: ({ id }) => id },
          ],
          servers,
        ),
      );
    }
    return 'ok';
  },
});

export const serversShow = command({
  name: 'servers show',
  summary: 'Show a server and its free resources',
  args: ['server'],
  examples: [['hortus servers show web-1', 'By name or id.']],
  calls: ['servers.list', 'servers.read', 'capacity.read', 'capacity.history'],
  async run({ args, json, client, world: { terminal, now } }) {
    const service = await client();
    const server = await findServer(service, args.server);
    if (json) {
      printJson(terminal, server);
      return 'ok';
    }
    const params = { server_id: server.id };
    const { data: room } = await service.call('capacity.read', { params });
    const { points } = (await service.call('capacity.history', { params, query: { range: '1h' } })).data;
    const load = points.map(({ cpu }) => cpu.max_percent);
    const free = (usage: { used: number; free: number } | null, size: (bytes: number) => string) =>
      usage && `${size(usage.free)} free of ${size(usage.used + usage.free)}`;
    terminal.out(
      facts(terminal, [
        ['Name', server.name],
        ['Status', { painted: status(terminal, server.status) }],
        ['Last seen', ago(server.last_seen_at, now())],
        ['Warning', server.duplicate_seen_at && `a second daemon used its key ${ago(server.duplicate_seen_at, now())}`],
        ['Trusted', describeTrust(server)],
        ['Kind', server.kind === 'cluster' ? 'cluster' : null],
        ['Environment', server.environment],
        ['Key pair', describeIdentity(server)],
        ['Labels', labelWords(server.labels)],
        ['Daemon', [daemonVersion(server.daemon), server.daemon.os, server.daemon.arch].filter(Boolean).join(', ')],
        ['Refused', server.daemon.refused?.reason],
        ['Engine', server.fingerprint ? engineOf(server.fingerprint) : server.daemon.engine],
        ['Ingress', server.daemon.ingress],
        ['GPU', server.fingerprint?.gpu_runtime],
        ['Description', server.description],
        ['Memory', free(room.memory, memory)],
        ['Processor', room.cpu && `${room.cpu.used_percent.toFixed(0)} % of ${room.cpu.cores} cores in use`],
        [
          'Last hour',
          load.length === 0 ? null : `${sparkline(load, 100)} at most ${Math.max(...load).toFixed(0)} % in use`,
        ],
        ['Disk', free(room.disk, disk)],
        ['Networks', server.networks && roomForNetworks(server.networks)],
        ['Measured', room.reported_at === null ? 'never' : ago(room.reported_at, now())],
        ['Registered', ago(server.created_at, now())],
        ['Id', server.id],
      ]),
    );
    return 'ok';
  },
});

/** Returns for example `1.0.0 (1.1.0 available)`. */
const daemonVersion = ({ version, newer_version }: Server['daemon']): string =>
  newer_version === null ? (version ?? '') : `${version} (${newer_version} available)`;

/** Returns for example `docker 20.10.24, API 1.41, overlay2, cgroup 2, linux/amd64`. */
const engineOf = (found: Fingerprint): string =>
  found.engine_problem ??
  [
    `${found.engine ?? ''} ${found.engine_version ?? ''}`.trim(),
    found.api_version && `API ${found.api_version}`,
    found.storage_driver,
    found.cgroup && `cgroup ${found.cgroup}`,
    [found.os, found.arch].filter(Boolean).join('/'),
    found.rootless && 'rootless',
  ]
    .filter(Boolean)
    .join(', ');
