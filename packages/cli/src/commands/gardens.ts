import type { Garden } from '@hortus/contract/resources/gardens';
import { agree } from '../asking.ts';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';
import { printDone, printList } from '../printing.ts';

export const gardensList = command({
  name: 'gardens list',
  summary: 'List the gardens and their last runs',
  examples: [['hortus gardens list', 'What was applied, and how it ended.']],
  calls: ['gardens.list'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('gardens.list', {}));
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Name', text: ({ name }: Garden) => name },
      { title: 'Made', text: ({ items }: Garden) => `${items}` },
      { title: 'Last run', painted: ({ last_run: run }: Garden) => (run ? status(terminal, run.status) : '') },
      { title: 'When', text: ({ last_run: run }: Garden) => ago(run?.created_at ?? null, now()) },
      { title: 'Run', text: ({ last_run: run }: Garden) => run?.id ?? '' },
    ];
    return printList(call, rows, columns, 'No gardens yet. hortus apply creates one from a file.');
  },
});

export const gardensCancel = command({
  name: 'gardens cancel',
  summary: 'Stop a run of a garden',
  about: 'Nothing new is ordered; deployments that were ordered run to their end.',
  args: ['run'],
  examples: [['hortus gardens cancel grn_01j9zq3v5t8x2m4n6p7r9s0abc', 'The id of a run of hortus gardens list.']],
  calls: ['gardens.cancel'],
  async run(call) {
    const { data } = await (await call.client()).call('gardens.cancel', { params: { id: call.args.run } });
    return printDone(call, data, `${data.garden_name}: nothing new is ordered by this run.`);
  },
});

export const gardensForget = command({
  name: 'gardens forget',
  summary: 'Forget a garden and keep everything that it made',
  args: ['garden'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus gardens forget home', 'Its definitions keep running; --prune does not touch them any more.']],
  calls: ['gardens.list', 'gardens.delete'],
  async run(call) {
    const client = await call.client();
    const { garden } = call.args;
    const rows = await Array.fromAsync(client.pages('gardens.list', {}));
    const found = rows.find(({ id, name }) => id === garden || name === garden);
    if (!found)
      throw new Failure('missing', `There is no garden ${garden}.`, { hint: 'hortus gardens list shows them.' });
    if (!(await agree(call.world, `Forget the garden ${found.name}?`, call.options.yes)))
      return printDone(call, found, 'Nothing was changed.');
    const { data } = await client.call('gardens.delete', { params: { id: found.id } });
    return printDone(call, data, `${data.name} is forgotten; what it made stays.`);
  },
});
