import { readSecret } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { agree } from '../orders/asking.ts';
import { count } from '../output/words.ts';

export const vaultSet = command({
  name: 'vault set',
  summary: 'Set a secret of a definition',
  about:
    'Asks for the value, or reads it from a file or a pipe; it is never an argument. It takes effect with the next\ndeployment.',
  args: ['definition', 'secret'],
  options: { file: { type: 'string', value: 'path', about: 'Read the value from a file; - reads standard input.' } },
  examples: [
    ['hortus vault set miniflux SMTP_PASSWORD', 'Asks for the value.'],
    ['hortus vault set miniflux LICENCE --file licence.txt', 'For a script.'],
  ],
  calls: ['definitions.list', 'definitions.read', 'vault.set'],
  async run(call) {
    const { args, options, world } = call;
    const client = await call.client();
    const { id, instance_uid } = await findDefinition(client, args.definition);
    const value = await readSecret(world, `value of ${args.secret}`, options.file);
    const { data } = await client.call('vault.set', { params: { id, name: args.secret }, body: { value } });
    return printDone(
      call,
      data,
      `${args.secret} is set in revision ${data.revision}. hortus deploy --definition ${instance_uid} applies it.`,
    );
  },
});

export const vaultRotate = command({
  name: 'vault rotate',
  summary: 'Rotate a generated secret',
  args: ['definition', 'secret'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus vault rotate miniflux SESSION_KEY', 'Tokens signed with it are rotated too.']],
  calls: ['definitions.list', 'definitions.read', 'vault.rotateSecret'],
  async run(call) {
    const { args, options, world } = call;
    const client = await call.client();
    const { id, instance_uid } = await findDefinition(client, args.definition);
    if (
      !(await agree(
        world,
        `Clients that use ${args.secret} of ${instance_uid} need the new value. Rotate it?`,
        options.yes,
      ))
    )
      return printDone(call, null, 'Nothing was changed.');
    const { data } = await client.call('vault.rotateSecret', { params: { id, name: args.secret } });
    const words = `${count(data.secrets.length, 'secret')} rotated in revision ${data.revision}. hortus deploy --definition ${instance_uid} applies it.`;
    return printDone(call, data, words);
  },
});

export const vaultShow = command({
  name: 'vault show',
  summary: 'Show the value of a generated secret',
  about: 'For a password that you need, such as that of the first administrator. The access is recorded.',
  args: ['definition', 'secret'],
  examples: [['hortus vault show miniflux ADMIN_PASSWORD', 'Prints the value only.']],
  calls: ['definitions.list', 'definitions.read', 'vault.reveal'],
  async run(call) {
    const client = await call.client();
    const { id } = await findDefinition(client, call.args.definition);
    const { data } = await client.call('vault.reveal', { params: { id, name: call.args.secret } });
    return printDone(call, data, data.value);
  },
});
