import type { Client } from '@hortus/client/client';
import type { Registry } from '@hortus/contract/resources/registries';
import { readSecret } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { confirmByName } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { table } from '../output/table.ts';
import { ago } from '../output/words.ts';

export const registriesList = command({
  name: 'registries list',
  summary: 'List the registries with stored passwords',
  examples: [['hortus registries list', 'Hosts and user names; passwords are never shown.']],
  calls: ['registries.list'],
  async run({ json, client, world: { terminal, now } }) {
    const registries = await Array.fromAsync((await client()).pages('registries.list'));
    if (json) printJson(terminal, registries);
    else if (registries.length === 0) {
      terminal.out(
        'No passwords are stored; images are pulled anonymously. Add one with hortus registries add <host> <username>\n',
      );
    } else {
      const columns = [
        { title: 'Host', text: ({ host }: Registry) => host },
        { title: 'User', text: ({ username }: Registry) => username },
        { title: 'Changed', text: ({ updated_at }: Registry) => ago(updated_at, now()) },
        { title: 'Id', text: ({ id }: Registry) => id },
      ];
      terminal.out(table<Registry>(terminal, columns, registries));
    }
    return 'ok';
  },
});

export const registriesAdd = command({
  name: 'registries add',
  summary: 'Store the user name and password of a registry',
  about:
    'Asks for the password, or reads it from a file or a pipe; it is never an argument. It replaces a password stored\nfor the same host and is used from the next deployment on.',
  args: ['host', 'username'],
  options: {
    'password-file': {
      type: 'string',
      value: 'path',
      about: 'Read the password from a file; - reads standard input.',
    },
  },
  examples: [
    ['hortus registries add ghcr.io gardener', 'Asks for the password.'],
    ['hortus registries add ghcr.io gardener --password-file token.txt', 'For a script.'],
  ],
  calls: ['registries.list', 'registries.create', 'registries.update'],
  async run({ args: { host, username }, options, json, client, world }) {
    const service = await client();
    const password = await readSecret(world, `password or token for ${host}`, options['password-file']);
    const known = await found(service, host);
    const { data } = known
      ? await service.call('registries.update', { params: { id: known.id }, body: { username, password } })
      : await service.call('registries.create', { body: { host, username, password } });
    if (json) printJson(world.terminal, data);
    else world.terminal.out(`The password of ${data.username} for ${data.host} is stored.\n`);
    return 'ok';
  },
});

export const registriesRemove = command({
  name: 'registries remove',
  summary: 'Remove the password of a registry',
  args: ['host'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus registries remove ghcr.io', 'Asks for confirmation. Pulled images stay on the servers.']],
  calls: ['registries.list', 'registries.delete'],
  async run({ args: { host }, options, json, client, world }) {
    const service = await client();
    const known = await found(service, host);
    if (!known) throw new Failure('missing', `No password is stored for ${host}.`, { hint: 'hortus registries list' });
    await confirmByName(world, `Images of ${known.host} are then pulled anonymously.`, known.host, options.yes);
    const { data } = await service.call('registries.delete', { params: { id: known.id } });
    if (json) printJson(world.terminal, data);
    else world.terminal.out(`The password for ${data.host} was removed.\n`);
    return 'ok';
  },
});

async function found(service: Client, host: string): Promise<Registry | undefined> {
  for await (const page of service.pages('registries.list')) {
    if (page.host === host.toLowerCase() || page.id === host) return page;
  }
  return undefined;
}
