import type { Client } from '@hortus/client/client';
import type { SavedConfig } from '@hortus/contract/resources/saved-configs';
import { valueOptions } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList, printRecord } from '../command-line/printing.ts';
import { findListed } from '../lookup/listed.ts';
import { confirmByName } from '../orders/asking.ts';
import { ago } from '../output/words.ts';

const find = (client: Client, input: string): Promise<SavedConfig> =>
  findListed(client.pages('saved-configs.list'), 'config', input, ({ name }: SavedConfig) => [name]);

export const configsList = command({
  name: 'configs list',
  summary: 'List the saved configs: named inputs of a species',
  examples: [['hortus configs list', 'With the species of each.']],
  calls: ['saved-configs.list'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('saved-configs.list'));
    const columns = [
      { title: 'Name', text: ({ name }: SavedConfig) => name },
      { title: 'Species', text: ({ species }: SavedConfig) => species },
      {
        title: 'Inputs',
        text: ({ inputs, secret_inputs }: SavedConfig) =>
          [...Object.keys(inputs), ...secret_inputs.map(({ name }) => name)].join(', '),
      },
      { title: 'Changed', text: ({ updated_at }: SavedConfig) => ago(updated_at, call.world.now()) },
      { title: 'Id', text: ({ id }: SavedConfig) => id },
    ];
    return printList(call, rows, columns, 'No saved configs. Save one with hortus configs save <name> <species>');
  },
});

export const configsShow = command({
  name: 'configs show',
  summary: 'Show a saved config; password values are never shown',
  args: ['config'],
  examples: [["hortus configs show 'House style'", 'By name or id.']],
  calls: ['saved-configs.list'],
  async run(call) {
    const config = await find(await call.client(), call.args.config);
    return printRecord(call, config, [
      ['Name', config.name],
      ['Species', config.species],
      ['Profile', config.profile],
      ['Variant', config.variant],
      ...Object.entries(config.inputs).map(([name, value]) => [name, String(value)] as const),
      ...config.secret_inputs.map(({ name }) => [name, '(set, not shown)'] as const),
      ['Id', config.id],
    ]);
  },
});

export const configsSave = command({
  name: 'configs save',
  summary: 'Save inputs of a species under a name',
  args: ['name', 'species'],
  options: {
    set: { type: 'string', value: 'name=value', multiple: true, about: 'Value of an input.' },
    'set-file': {
      type: 'string',
      value: 'name=path',
      multiple: true,
      about: 'Value of an input, read from a file; - reads standard input.',
    },
    profile: { type: 'string', value: 'profile', about: 'Profile to save with the inputs.' },
  },
  examples: [
    ["hortus configs save 'House style' inkwell --set SITE_TITLE=Notes", 'Definitions can be created from it.'],
  ],
  calls: ['saved-configs.create'],
  async run(call) {
    const { args, options, world } = call;
    const spelt = { set: 'set', setFile: 'set-file' };
    const inputs = await valueOptions(world, spelt, options.set, options['set-file']);
    const body = { ...args, inputs, ...(options.profile ? { profile: options.profile } : {}) };
    const { data } = await (await call.client()).call('saved-configs.create', { body });
    return printDone(call, data, `${data.name} is saved for ${data.species} (${data.id}).`);
  },
});

export const configsDelete = command({
  name: 'configs delete',
  summary: 'Delete a saved config; definitions created from it stay',
  args: ['config'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [["hortus configs delete 'House style'", 'Asks you to type the name.']],
  calls: ['saved-configs.list', 'saved-configs.delete'],
  async run(call) {
    const client = await call.client();
    const { id, name } = await find(client, call.args.config);
    await confirmByName(call.world, `The values of ${name} are deleted.`, name, call.options.yes);
    const { data } = await client.call('saved-configs.delete', { params: { id } });
    return printDone(call, data, `${data.name} is deleted.`);
  },
});
