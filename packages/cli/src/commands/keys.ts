import { type Permission, permissionNames } from '@hortus/contract/permissions';
import type { ApiKey } from '@hortus/contract/resources/keys';
import { confirmByName } from '../asking.ts';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { chosen } from '../given-values.ts';
import { findListed } from '../lookup/listed.ts';
import { ago } from '../output/words.ts';
import { printDone, printList } from '../printing.ts';

export const keysList = command({
  name: 'keys list',
  summary: 'List the API keys; never the keys themselves',
  examples: [['hortus keys list', 'What each may do, and when it was last used.']],
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
    return printList(call, rows, columns, 'No keys. hortus keys create makes one.');
  },
});

export const keysCreate = command({
  name: 'keys create',
  summary: 'Make an API key; it is printed once',
  about:
    'It has at most the permissions, expiry and networks of your own key; expiry and networks are taken over from it.',
  args: ['name'],
  options: {
    allow: {
      type: 'string',
      value: 'permission',
      multiple: true,
      about: 'What it may do, such as deployments:execute.',
    },
    expires: { type: 'string', value: 'time', about: 'An ISO 8601 time; as your own key unless said.' },
    from: { type: 'string', value: 'network', multiple: true, about: 'A network that it may be used from, as CIDR.' },
  },
  examples: [
    ['hortus keys create ci --allow definitions:write --allow deployments:execute', 'For a build machine.'],
    ['hortus keys create ci --allow templates:read --json | jq -r .key', 'Only the key, for a script.'],
  ],
  calls: ['keys.create'],
  async run(call) {
    const { args, options } = call;
    if (options.allow.length === 0) throw new Failure('usage', 'Say with --allow what it may do.');
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
  options: { yes: { type: 'boolean', short: 'y', about: 'Do not ask.' } },
  examples: [['hortus keys revoke ci', 'By name or id; asks for the name first.']],
  calls: ['keys.list', 'keys.revoke'],
  async run(call) {
    const client = await call.client();
    const living = ({ name, revoked_at }: ApiKey) => (revoked_at === null ? [name] : []);
    const key = await findListed(client.pages('keys.list'), 'key', call.args.key, living);
    await confirmByName(call.world, `Whatever uses ${key.name} stops working.`, key.name, call.options.yes);
    const { data } = await client.call('keys.revoke', { params: { id: key.id } });
    return printDone(call, data, `${data.name} is revoked.`);
  },
});
