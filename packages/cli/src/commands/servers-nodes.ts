import type { Client } from '@hortus/client/client';
import type { ClusterNode } from '@hortus/contract/resources/cluster-nodes';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { followExecution } from '../following/execution.ts';
import { findServer } from '../lookup/servers.ts';
import { confirmByName } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { labelWords } from '../output/labels.ts';
import { safeLine } from '../output/safe-text.ts';
import { status } from '../output/status.ts';
import { table } from '../output/table.ts';
import { memory } from '../output/words.ts';
import type { World } from '../world/world.ts';

export const serversNodes = command({
  name: 'servers nodes',
  summary: 'List the nodes of a cluster and what runs where',
  args: ['server'],
  examples: [['hortus servers nodes swarm-1', 'State, availability and instances of each node.']],
  calls: ['servers.list', 'servers.read', 'clusters.nodes'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const server = await findServer(service, args.server);
    const nodes = await nodesOf(service, server.id);
    if (json) printJson(terminal, nodes);
    else if (nodes.length === 0)
      terminal.out(
        server.kind === 'cluster'
          ? `The daemon of ${server.name} has not reported its nodes yet.\n`
          : `${server.name} has no nodes: it is an ordinary server.\n`,
      );
    else {
      const columns = [
        { title: 'Name', text: ({ hostname }: ClusterNode) => safeLine(hostname) },
        { title: 'State', painted: ({ state }: ClusterNode) => status(terminal, state, STYLES[state]) },
        { title: 'Takes tasks', text: ({ availability }: ClusterNode) => TAKES[availability] },
        { title: 'Role', text: ({ role }: ClusterNode) => role },
        { title: 'Runs', text: ({ tasks }: ClusterNode) => safeLine(runs(tasks)) },
        {
          title: 'Room',
          text: ({ capacity }: ClusterNode) =>
            capacity ? `${capacity.cpus} cores, ${memory(capacity.memory_bytes)}` : '',
        },
        { title: 'Labels', text: ({ labels }: ClusterNode) => safeLine(labelWords(labels)) },
        { title: 'Id', text: ({ id }: ClusterNode) => id },
      ];
      terminal.out(table<ClusterNode>(terminal, columns, nodes));
    }
    return 'ok';
  },
});

const STYLES = { ready: 'good', down: 'bad', disconnected: 'bad', unknown: 'warn' } as const;
const TAKES = { active: 'yes', pause: 'no new ones', drain: 'no' } as const;

const runs = (tasks: ClusterNode['tasks']): string =>
  tasks
    .map(({ instance_uid, component, running }) => `${instance_uid}/${component}${running === 1 ? '' : ` ×${running}`}`)
    .join(', ');

export const serversNodesDrain = command({
  name: 'servers nodes drain',
  summary: 'Move the tasks of a node of a cluster to other nodes',
  about:
    'Components that are pinned to the node by a local volume stop until it is active again. Asks for confirmation and waits.',
  args: ['server', 'node'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus servers nodes drain swarm-1 node-2', 'By name or id, before you switch the machine off.']],
  calls: ['servers.list', 'servers.read', 'clusters.nodes', 'clusters.drainNode', 'actions.read'],
  async run({ args, options, json, client, world }) {
    const service = await client();
    const { server, node } = await find(service, args.server, args.node);
    const what = node.tasks.length === 0 ? 'Nothing runs on it.' : `It runs ${safeLine(runs(node.tasks))}.`;
    await confirmByName(world, `${what} Its tasks are moved to other nodes.`, node.hostname, options.yes);
    const { execution } = await service.call('clusters.drainNode', { params: { id: server.id, node: node.id } });
    const ended = await done(world, service, execution);
    if (json) printJson(world.terminal, ended);
    else world.terminal.out(`${safeLine(node.hostname)} is drained.\n`);
    return 'ok';
  },
});

export const serversNodesActivate = command({
  name: 'servers nodes activate',
  summary: 'Let a drained node of a cluster take tasks again',
  args: ['server', 'node'],
  examples: [['hortus servers nodes activate swarm-1 node-2', 'Tasks that were moved away stay where they are.']],
  calls: ['servers.list', 'servers.read', 'clusters.nodes', 'clusters.activateNode', 'actions.read'],
  async run({ args, json, client, world }) {
    const service = await client();
    const { server, node } = await find(service, args.server, args.node);
    const { execution } = await service.call('clusters.activateNode', { params: { id: server.id, node: node.id } });
    const ended = await done(world, service, execution);
    if (json) printJson(world.terminal, ended);
    else world.terminal.out(`${safeLine(node.hostname)} takes tasks again.\n`);
    return 'ok';
  },
});

const nodesOf = (service: Client, id: string): Promise<ClusterNode[]> =>
  Array.fromAsync(service.pages('clusters.nodes', { params: { id } }));

async function find(service: Client, named: string, wanted: string) {
  const server = await findServer(service, named);
  const nodes = await nodesOf(service, server.id);
  const found = nodes.filter(({ id, hostname }) => id === wanted || hostname === wanted);
  const hint = `hortus servers nodes ${server.name}`;
  if (found.length > 1) throw new Failure('usage', `Several nodes are named ${wanted}; give the id.`, { hint });
  const [node] = found;
  if (!node) throw new Failure('missing', `${server.name} has no node ${wanted}.`, { hint });
  return { server, node };
}

async function done(world: World, service: Client, execution: Parameters<typeof followExecution>[1]) {
  const ended = await followExecution(service, execution, world, {
    timeout: 10 * 60_000,
    unfinished: `${execution.id} has not finished yet. hortus actions show ${execution.id} shows its progress.`,
  });
  if (ended.status !== 'completed')
    throw new Failure('failed', ended.error ?? `The cluster reported the status ${ended.status}.`);
  return ended;
}
