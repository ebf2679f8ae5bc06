import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findServer } from '../lookup/servers.ts';
import { labelWords } from '../output/labels.ts';

export const serversLabel = command({
  name: 'servers label',
  summary: 'Set or remove labels of a server',
  about: 'Labels choose servers together, for example in hortus servers update --label. Without labels, shows them.',
  args: ['server', 'label*'],
  examples: [
    ['hortus servers label web-1 site=berlin rack=4', 'Sets two labels and keeps the others.'],
    ['hortus servers label web-1 rack-', 'Removes the label rack.'],
  ],
  calls: ['servers.list', 'servers.read', 'servers.update'],
  async run(call) {
    const { args } = call;
    const client = await call.client();
    const server = await findServer(client, args.server);
    const labels = { ...server.labels };
    for (const label of args.label) {
      const [, key = '', value] = /^([^=]+?)(?:-|=(.*))$/s.exec(label) ?? [];
      if (key === '')
        throw new Failure('usage', `${JSON.stringify(label)} is no label.`, {
          hint: 'site=berlin sets the label site, site- removes it.',
        });
      if (value === undefined) delete labels[key];
      else labels[key] = value;
    }
    const changed =
      args.label.length === 0
        ? server
        : (await client.call('servers.update', { params: { id: server.id }, body: { labels } })).data;
    return printDone(call, changed, `${changed.name}: ${labelWords(changed.labels) || 'no labels'}`);
  },
});
