import { type Permission, permissionNames } from '@hortus/contract/permissions';
import type { ApiKey } from '@hortus/contract/resources/keys';
import { chosen } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findListed } from '../lookup/listed.ts';
import { confirmByName } from '../orders/asking.ts';
import { ago } from '../output/words.ts';

export const keysList = command({
  name: 'keys list',
  summary: 'List the API keys, without their values',
  examples: [['hortus keys list', 'Permissions and last use of each key.']],
  calls: ['keys.list'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('keys.list'));
    const columns = [
      { title: 'Name', text: ({ name }: ApiKey) => name },
      { title: 'Begins', text: ({ prefix }: ApiKey) => prefix },
      { title: 'State', text: ({ revoked_at }: ApiKey) => (revoked_at === null ? 'valid' : 'revoked') },
      { title: 'Last used', text: ({ last_used_at }: ApiKey) => ago(last_used_at, call.world.now()) },
      { title: 'Id', text: ({ id }: ApiKey) => id },
      { title: 'Permissions', text: ({ permissions }: ApiKey) => permissions.join(', ') },
    ];
    return printList(call, rows, columns, 'No keys yet. Create one with hortus keys create <name>');
  },
});

export const keysCreate = command({
  name: 'keys create',
  summary: 'Create an API key and print it once',
  about:
    'It cannot exceed the permissions, expiry and networks of your own key. Expiry and networks default to those of your key.',
  args: ['name'],
  options: {
    allow: {
      type: 'string',
      value: 'permission',
      multiple: true,
      about: 'Permission of the key, such as deployments:execute.',
    },
    expires: { type: 'string', value: 'time', about: 'Expiry as an ISO 8601 time; default is that of your own key.' },
    from: { type: 'string', value: 'network', multiple: true, about: 'Network that may use the key, as CIDR.' },
  },
  examples: [
    ['hortus keys create ci --allow definitions:write --allow deployments:execute', 'For a build machine.'],
    ['hortus keys create ci --allow templates:read --json | jq -r .key', 'Only the key, for a script.'],
  ],
  calls: ['keys.create'],
  async run(call) {
    const { args, options } = call;
    if (options.allow.length === 0) throw new Failure('usage', 'Name at least one permission with --allow.');
    const permissions = options.allow.map((word) => chosen('allow', word, permissionNames) as Permission);
    const body = {
      name: args.name,
      permissions,
      ...(options.expires ? { expires_at: options.expires } : {}),
      ...(options.from.length > 0 ? { allowed_cidrs: [...options.from] } : {}),
    };
    const { data } = await (await call.client()).call('keys.create', { body });
    return printDone(call, data, `The key ${data.name}, shown this once:\n${data.key}`);
  },
});

export const keysRevoke = command({
  name: 'keys revoke',
  summary: 'Revoke an API key at once',
  args: ['key'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus keys revoke ci', 'By name or id; asks you to type the name.']],
  calls: ['keys.list', 'keys.revoke'],
  async run(call) {
    const client = await call.client();
    const living = ({ name, revoked_at }: ApiKey) => (revoked_at === null ? [name] : []);
    const key = await findListed(client.pages('keys.list'), 'key', call.args.key, living);
    await confirmByName(call.world, `Clients that use ${key.name} stop working.`, key.name, call.options.yes);
    const { data } = await client.call('keys.revoke', { params: { id: key.id } });
    return printDone(call, data, `${data.name} is revoked.`);
  },
});
