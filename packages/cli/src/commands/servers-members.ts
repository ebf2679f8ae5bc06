import type { Client } from '@hortus/client/client';
import { installCommand, isProtected } from '@hortus/client/install-line';
import type { ClusterMember } from '@hortus/contract/resources/clusters';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { findServer } from '../lookup/servers.ts';
import { confirmByName } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { status } from '../output/status.ts';
import { table } from '../output/table.ts';
import { ago } from '../output/words.ts';

export const serversMembers = command({
  name: 'servers members',
  summary: 'List the daemons of a cluster',
  about: 'One member leads and receives the orders; the others take over when it is lost.',
  args: ['server'],
  examples: [['hortus servers members swarm-1', 'Which manager leads.']],
  calls: ['servers.list', 'servers.read', 'clusters.members'],
  async run({ args, json, client, world: { terminal, now } }) {
    const service = await client();
    const server = await findServer(service, args.server);
    const members = await Array.fromAsync(service.pages('clusters.members', { params: { id: server.id } }));
    if (json) printJson(terminal, members);
    else if (members.length === 0) terminal.out(`${server.name} has no members: it is an ordinary server.\n`);
    else {
      const columns = [
        { title: 'Name', text: ({ name }: ClusterMember) => name },
        { title: 'Role', painted: ({ role }: ClusterMember) => status(terminal, role) },
        { title: 'Daemon', text: ({ daemon }: ClusterMember) => daemon.version ?? '' },
        { title: 'Last seen', text: ({ last_seen_at }: ClusterMember) => ago(last_seen_at, now()) },
        { title: 'Id', text: ({ id }: ClusterMember) => id },
      ];
      terminal.out(table<ClusterMember>(terminal, columns, members));
    }
    return 'ok';
  },
});

export const serversMembersAdd = command({
  name: 'servers members add',
  summary: 'Add a manager to a cluster and print the command that connects its daemon',
  about: 'The key reaches the secrets of everything on the cluster, so this needs data:export.',
  args: ['server', 'name'],
  examples: [['hortus servers members add swarm-1 manager-2', 'Prints the key of its daemon, once.']],
  calls: ['servers.list', 'servers.read', 'clusters.addMember'],
  async run({ args, json, settings, client, world: { terminal } }) {
    const service = await client();
    const { id, name } = await findServer(service, args.server);
    const { data } = await service.call('clusters.addMember', { params: { id }, body: { name: args.name } });
    const origin = (await settings()).url.replace(/\/api\/v1$/, '');
    const install = installCommand(origin, { ...data, id, kind: 'cluster' });
    if (json) {
      printJson(terminal, { ...data, install });
      return 'ok';
    }
    terminal.out(`${data.name} is a member of ${name}: ${data.id}.\n`);
    terminal.out(`Key of its daemon, shown this once:\n${data.api_key}\n`);
    terminal.out(`\nWhere hortusd is installed, this connects it:\n${install}\n`);
    if (!isProtected(origin))
      terminal.note('The address does not use https: others on the network can read the key.\n');
    return 'ok';
  },
});

export const serversMembersRevoke = command({
  name: 'servers members revoke',
  summary: 'Revoke the key of a member of a cluster',
  about: 'Its daemon is disconnected at once. If it leads, another member takes over; containers keep running.',
  args: ['server', 'member'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus servers members revoke swarm-1 manager-2', 'By name or id; asks for confirmation.']],
  calls: ['servers.list', 'servers.read', 'clusters.members', 'clusters.revokeMember'],
  async run({ args, options, json, client, world }) {
    const service = await client();
    const { id, name } = await findServer(service, args.server);
    const member = await findMember(service, id, args.member);
    if (!member)
      throw new Failure('missing', `${name} has no member ${args.member}.`, { hint: `hortus servers members ${name}` });
    await confirmByName(world, `The daemon of ${member.name} can no longer connect.`, member.name, options.yes);
    const { data } = await service.call('clusters.revokeMember', { params: { id, member_id: member.id } });
    if (json) printJson(world.terminal, data);
    else world.terminal.out(`${data.name} is no longer a member of ${name}.\n`);
    return 'ok';
  },
});

async function findMember(service: Client, id: string, named: string): Promise<ClusterMember | undefined> {
  for await (const page of service.pages('clusters.members', { params: { id } })) {
    if (page.name === named || page.id === named) return page;
  }
  return undefined;
}
