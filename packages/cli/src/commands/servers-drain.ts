import type { DrainedServer } from '@hortus/contract/resources/server-records';
import { command } from '../command.ts';
import { findServer } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { status } from '../output/status.ts';
import { table } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';

export const serversDrain = command({
  name: 'servers drain',
  summary: 'Drain a server and list the instances to move',
  about: 'The server gets no new deployments; running instances keep running.',
  args: ['server'],
  examples: [['hortus servers drain web-1', 'Before you switch the machine off.']],
  calls: ['servers.list', 'servers.read', 'servers.drain'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { id } = await findServer(service, args.server);
    const { data } = await service.call('servers.drain', { params: { id } });
    if (json) printJson(terminal, data);
    else tell(terminal, data);
    return 'ok';
  },
});

export const serversUndrain = command({
  name: 'servers undrain',
  summary: 'Put a drained server back into use',
  args: ['server'],
  examples: [['hortus servers undrain web-1', 'Allows deployments again.']],
  calls: ['servers.list', 'servers.read', 'servers.undrain'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { id } = await findServer(service, args.server);
    const { data } = await service.call('servers.undrain', { params: { id } });
    if (json) printJson(terminal, data);
    else terminal.out(`${data.name} is ${data.status} and takes deployments again.\n`);
    return 'ok';
  },
});

function tell(terminal: Terminal, { name, instances }: DrainedServer): void {
  terminal.out(`${name} takes no new deployments.\n`);
  if (instances.length === 0) {
    terminal.out('No instances are left on it.\n');
    return;
  }
  type Row = (typeof instances)[number];
  const columns = [
    { title: 'To move', text: ({ instance_uid }: Row) => instance_uid },
    { title: 'Status', painted: (row: Row) => status(terminal, row.status) },
    { title: 'Tenant', text: ({ tenant_id }: Row) => tenant_id ?? '' },
    { title: 'Definition', text: ({ definition_id }: Row) => definition_id },
  ];
  terminal.out(table(terminal, columns, instances));
}
