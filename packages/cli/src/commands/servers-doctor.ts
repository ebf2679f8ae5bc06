import type { Client } from '@hortus/client/client';
import type { UpdateTarget } from '@hortus/contract/resources/daemon-updates';
import type { DaemonError, Diagnostics } from '@hortus/contract/resources/diagnostics';
import type { Server } from '@hortus/contract/resources/server-records';
import { command } from '../command-line/command.ts';
import { findServer } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { roomForNetworks } from '../output/room-for-networks.ts';
import { safeLine, safeText } from '../output/safe-text.ts';
import { status } from '../output/status.ts';
import { facts } from '../output/table.ts';
import { ago, count, disk, memory } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';

const DAY = 86_400_000;

export const serversDoctor = command({
  name: 'servers doctor',
  summary: 'Show versions, limits and the last errors of the daemon of a server',
  about:
    'The daemon reports its errors when it connects, also that of a crash. If it cannot connect, run hortusd doctor on the server. Secrets are removed. Exit code 0 means no problem; 1 means that the server is not online, its engine has a problem, or its daemon had an error in the last 24 hours.',
  args: ['server'],
  examples: [
    ['hortus servers doctor web-1', 'Versions, engine, limits, and each error with its stack.'],
    ['hortus servers doctor web-1 --json > web-1.json', 'The same as JSON, for a bug report.'],
  ],
  calls: [
    'servers.list',
    'servers.read',
    'capacity.read',
    'diagnostics.read',
    'daemon-updates.list',
    'daemon-updates.read',
  ],
  async run({ args, json, client, world: { terminal, now } }) {
    const service = await client();
    const server = await findServer(service, args.server);
    const { data: diagnostics } = await service.call('diagnostics.read', { params: { id: server.id } });
    const { data: capacity } = await service.call('capacity.read', { params: { server_id: server.id } });
    const update = await lastUpdateOf(service, server.id);
    const problems = problemsOf(server, diagnostics, now());
    if (json) printJson(terminal, { server, diagnostics, capacity, update, problems });
    else {
      terminal.out(
        facts(terminal, [
          ['Name', server.name],
          ['Status', { painted: status(terminal, server.status) }],
          ['Last seen', ago(server.last_seen_at, now())],
          ['Service', diagnostics.service_version],
          ['Daemon', [server.daemon.version, server.daemon.os, server.daemon.arch].filter(Boolean).join(', ')],
          ['Newer', server.daemon.newer_version],
          ['Update', update && [update.status, update.reason, update.error].filter(Boolean).join(', ')],
          ['Engine', server.fingerprint?.engine_problem ?? server.daemon.engine],
          ['Ingress', server.daemon.ingress],
          ['Processor', capacity.cpu && `${capacity.cpu.cores} cores`],
          ['Memory', capacity.memory && `${memory(capacity.memory.free)} free`],
          ['Disk', capacity.disk && `${disk(capacity.disk.free)} free`],
          ['Networks', server.networks && roomForNetworks(server.networks)],
          ['Can', server.daemon.capabilities.join(', ')],
        ]),
      );
      for (const daemon of diagnostics.daemons) printDaemon(terminal, daemon, now());
      if (diagnostics.daemons.length === 0)
        terminal.out('\nIts daemon has reported no errors. On the server, hortusd doctor shows those that it kept.\n');
      terminal.out(
        problems.length === 0
          ? '\nNo problems found.\n'
          : `\n${count(problems.length, 'problem')}: ${problems.map(safeLine).join('; ')}\n`,
      );
    }
    return problems.length === 0 ? 'ok' : 'failed';
  },
});

function problemsOf(server: Server, { daemons }: Diagnostics, now: number): string[] {
  const recent = daemons.flatMap(({ errors }) => errors).filter(({ last_at }) => now - Date.parse(last_at) < DAY);
  return [
    server.status === 'online' ? undefined : `the server is ${server.status}`,
    server.daemon.refused?.reason,
    server.fingerprint?.engine_problem,
    recent.length === 0 ? undefined : `${count(recent.length, 'error')} in the last 24 hours`,
  ].filter((server) => typeof server === 'string');
}

/** Returns the part of the server in the newest update of daemons; null if it has none. */
async function lastUpdateOf(service: Client, serverId: string): Promise<UpdateTarget | null> {
  const [newest] = (await service.call('daemon-updates.list', { query: { per_page: 1 } })).data;
  if (!newest) return null;
  const { targets } = (await service.call('daemon-updates.read', { params: { id: newest.id } })).data;
  return targets.find(({ server_id }) => server_id === serverId) ?? null;
}

function printDaemon(terminal: Terminal, daemon: Diagnostics['daemons'][number], now: number): void {
  const { member_id, version, node, os, policy, errors, reported_at } = daemon;
  const who = member_id === null ? 'Daemon' : `Daemon of member ${member_id}`;
  terminal.out(`\n${who}, as reported ${ago(reported_at, now)}\n`);
  terminal.out(safeText(`  hortusd ${version}, Node ${node}, ${os}\n`));
  const rules = (policy ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (rules.length > 0) terminal.out(safeText(`\n  Policy\n${rules.map((rule) => `    ${rule}\n`).join('')}`));
  terminal.out(`\n  Last errors\n${errors.length === 0 ? '    none\n' : ''}`);
  for (const error of errors) terminal.out(safeText(`${errorText(error)}\n`).replaceAll(/^(?=.)/gm, '    '));
}

function errorText({ level, message, detail, fields, count: times, first_at, last_at }: DaemonError): string {
  const repeated = times === 1 ? '' : ` (${times} times since ${first_at})`;
  const about = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
  return `${last_at} ${level}${repeated}: ${message}${about.join('')}${detail === null ? '' : `\n${detail}`}`;
}
