import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { confirmByName } from '../orders/asking.ts';

export const definitionsRestore = command({
  name: 'definitions restore',
  summary: 'Make an earlier revision the current one',
  about: 'The running instance does not change until the next hortus deploy.',
  args: ['definition', 'revision'],
  examples: [['hortus definitions restore miniflux 3', 'The next deployment uses revision 3.']],
  calls: ['definitions.list', 'definitions.read', 'definitions.restore'],
  async run(call) {
    const { definition, revision } = call.args;
    const number = Number(revision);
    if (!Number.isInteger(number) || number < 1)
      throw new Failure('usage', 'The revision must be a number of at least 1.');
    const client = await call.client();
    const { id } = await findDefinition(client, definition);
    const { data } = await client.call('definitions.restore', { params: { id, number } });
    return printDone(
      call,
      data,
      `Revision ${data.current_revision} of ${data.instance_uid} is current. Deploy it with hortus deploy --definition ${data.instance_uid}.`,
    );
  },
});

export const definitionsArchive = command({
  name: 'definitions archive',
  summary: 'Archive a definition: remove its containers, keep its volumes',
  args: ['definition'],
  options: {
    'keep-containers': { type: 'boolean', about: 'Leave its containers running.' },
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
  },
  examples: [
    ['hortus definitions archive miniflux', 'Asks you to type the name.'],
    ['hortus definitions archive miniflux --yes', 'For a script.'],
  ],
  calls: ['definitions.list', 'definitions.read', 'definitions.archive'],
  async run(call) {
    const client = await call.client();
    const { id, instance_uid } = await findDefinition(client, call.args.definition);
    const keeps = call.options['keep-containers'];
    const decision = keeps ? 'Its containers stay.' : 'Its containers are removed, its volumes stay.';
    await confirmByName(
      call.world,
      `Archiving ${instance_uid} ends its deployments. ${decision}`,
      instance_uid,
      call.options.yes,
    );
    const query = { container: keeps ? ('keep' as const) : ('remove' as const) };
    const { data } = await client.call('definitions.archive', { params: { id }, query });
    return printDone(
      call,
      data,
      `${instance_uid} is archived. Undo it with hortus definitions activate ${instance_uid}`,
    );
  },
});

export const definitionsActivate = command({
  name: 'definitions activate',
  summary: 'Activate an archived definition',
  args: ['definition'],
  examples: [['hortus definitions activate miniflux', 'It can be deployed again with its volumes.']],
  calls: ['definitions.list', 'definitions.read', 'definitions.activate'],
  async run(call) {
    const client = await call.client();
    const { id } = await findDefinition(client, call.args.definition);
    const { data } = await client.call('definitions.activate', { params: { id } });
    return printDone(call, data, `${data.instance_uid} is ${data.status} again.`);
  },
});
