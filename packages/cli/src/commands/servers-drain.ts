import type { DrainedServer } from '@hortus/contract/resources/servers';
import { command } from '../command.ts';
import { findServer } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { status } from '../output/status.ts';
import { table } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';

export const serversDrain = command({
  name: 'servers drain',
  summary: 'Take a server out of use, and list what is to be moved',
  about: 'Nothing new is deployed there from now on. What runs goes on.',
  args: ['server'],
  examples: [['hortus servers drain web-1', 'Before the machine is switched off.']],
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
  examples: [['hortus servers undrain web-1', 'It takes deployments again.']],
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
    terminal.out('Nothing is left on it.\n');
    return;
  }
  type Row = (typeof instances)[number];
  const columns = [
    { title: 'To be moved', text: ({ instance_uid }: Row) => instance_uid },
    { title: 'Status', painted: (row: Row) => status(terminal, row.status) },
    { title: 'Tenant', text: ({ tenant_id }: Row) => tenant_id ?? '' },
    { title: 'Definition', text: ({ definition_id }: Row) => definition_id },
  ];
  terminal.out(table(terminal, columns, instances));
}
