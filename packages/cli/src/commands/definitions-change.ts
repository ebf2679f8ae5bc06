import { confirmByName } from '../asking.ts';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { printDone } from '../printing.ts';

export const definitionsRestore = command({
  name: 'definitions restore',
  summary: 'Make an earlier revision the current one',
  about: 'What runs stays as it is until the next hortus deploy.',
  args: ['definition', 'revision'],
  examples: [['hortus definitions restore miniflux 3', 'The next deployment takes revision 3.']],
  calls: ['definitions.list', 'definitions.read', 'definitions.restore'],
  async run(call) {
    const { definition, revision } = call.args;
    const number = Number(revision);
    if (!Number.isInteger(number) || number < 1) throw new Failure('usage', 'A revision is a number from 1.');
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
  summary: 'Archive a definition; its containers go, its volumes stay',
  args: ['definition'],
  options: {
    'keep-containers': { type: 'boolean', about: 'Leave what runs as it is.' },
    yes: { type: 'boolean', short: 'y', about: 'Do not ask.' },
  },
  examples: [
    ['hortus definitions archive miniflux', 'Asks for the name first.'],
    ['hortus definitions archive miniflux --yes', 'For a script.'],
  ],
  calls: ['definitions.list', 'definitions.read', 'definitions.archive'],
  async run(call) {
    const client = await call.client();
    const { id, instance_uid } = await findDefinition(client, call.args.definition);
    const keeps = call.options['keep-containers'];
    const fate = keeps ? 'Its containers stay as they are.' : 'Its containers are removed, its volumes stay.';
    await confirmByName(
      call.world,
      `Archiving ${instance_uid} ends its deployments. ${fate}`,
      instance_uid,
      call.options.yes,
    );
    const query = { container: keeps ? ('keep' as const) : ('remove' as const) };
    const { data } = await client.call('definitions.archive', { params: { id }, query });
    return printDone(
      call,
      data,
      `${instance_uid} is archived. hortus definitions activate ${instance_uid} brings it back.`,
    );
  },
});

export const definitionsActivate = command({
  name: 'definitions activate',
  summary: 'Bring an archived definition back',
  args: ['definition'],
  examples: [['hortus definitions activate miniflux', 'It can be deployed again, with the volumes it had.']],
  calls: ['definitions.list', 'definitions.read', 'definitions.activate'],
  async run(call) {
    const client = await call.client();
    const { id } = await findDefinition(client, call.args.definition);
    const { data } = await client.call('definitions.activate', { params: { id } });
    return printDone(call, data, `${data.instance_uid} is ${data.status} again.`);
  },
});
