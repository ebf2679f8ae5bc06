import { definitionMachine } from '@hortus/contract/machines/definition';
import { chosen } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printList, printRecord } from '../command-line/printing.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { findServer, serverNames } from '../lookup/servers.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';

export const definitionsList = command({
  name: 'definitions list',
  summary: 'List the definitions',
  options: {
    server: { type: 'string', value: 'server', about: 'Only on this server.' },
    status: { type: 'string', value: 'status', about: `Only ${definitionMachine.states.join(', ')}.` },
  },
  examples: [['hortus definitions list --status archived', 'Definitions that can be activated again.']],
  calls: ['definitions.list', 'servers.list', 'servers.read'],
  async run(call) {
    const { options, world } = call;
    const state = chosen('status', options.status, definitionMachine.states);
    const client = await call.client();
    const query = {
      ...(options.server ? { server_id: (await findServer(client, options.server)).id } : {}),
      ...(state ? { status: state } : {}),
    };
    const rows = await Array.fromAsync(client.pages('definitions.list', { query }));
    const serverName = await serverNames(client);
    const columns = [
      { title: 'Name', text: (definition: (typeof rows)[number]) => definition.instance_uid },
      {
        title: 'Species',
        text: (definition: (typeof rows)[number]) => `${definition.species} ${definition.template_version}`,
      },
      { title: 'Server', text: (definition: (typeof rows)[number]) => serverName(definition.server_id) },
      { title: 'Status', painted: (definition: (typeof rows)[number]) => status(world.terminal, definition.status) },
      { title: 'Revision', text: (definition: (typeof rows)[number]) => String(definition.current_revision) },
      { title: 'Changed', text: (definition: (typeof rows)[number]) => ago(definition.updated_at, world.now()) },
      { title: 'Id', text: (definition: (typeof rows)[number]) => definition.id },
    ];
    return printList(call, rows, columns, 'No definitions yet. Create one with hortus deploy <species>');
  },
});

export const definitionsShow = command({
  name: 'definitions show',
  summary: 'Show a definition with its inputs',
  args: ['definition'],
  examples: [['hortus definitions show miniflux', 'Password values are never shown.']],
  calls: ['definitions.list', 'definitions.read', 'servers.list'],
  async run(call) {
    const client = await call.client();
    const definition = await findDefinition(client, call.args.definition);
    const serverName = await serverNames(client);
    const { terminal, now } = call.world;
    return printRecord(call, definition, [
      ['Name', definition.name],
      ['Uid', definition.instance_uid],
      ['Species', `${definition.species} ${definition.template_version}`],
      ['Server', serverName(definition.server_id)],
      ['Status', { painted: status(terminal, definition.status) }],
      ['Revision', String(definition.current_revision)],
      ['Profile', definition.profile],
      ['Variant', definition.variant],
      ['Watched', definition.watch_seconds === 0 ? 'no' : `${definition.watch_seconds} s after a deployment`],
      ...Object.entries(definition.inputs).map(([name, value]) => [name, String(value)] as const),
      ...definition.secret_inputs.map((name) => [name, '(set, not shown)'] as const),
      ...Object.entries(definition.bindings).map(
        ([need, { instance, connection }]) => [`Need ${need}`, instance ?? connection ?? ''] as const,
      ),
      ['Changed', ago(definition.updated_at, now())],
      ['Id', definition.id],
    ]);
  },
});

export const definitionsRevisions = command({
  name: 'definitions revisions',
  summary: 'List the revisions of a definition and their changes',
  args: ['definition'],
  examples: [['hortus definitions revisions miniflux', 'Newest first; marks the current one.']],
  calls: ['definitions.list', 'definitions.read', 'definitions.revisions'],
  async run(call) {
    const client = await call.client();
    const { id } = await findDefinition(client, call.args.definition);
    const rows = await Array.fromAsync(client.pages('definitions.revisions', { params: { id } }));
    type Row = (typeof rows)[number];
    const columns = [
      { title: 'Revision', text: ({ number, current }: Row) => `${number}${current ? ' (current)' : ''}` },
      { title: 'Made', text: ({ created_at }: Row) => ago(created_at, call.world.now()) },
      { title: 'By', text: ({ created_by }: Row) => created_by ?? '' },
      {
        title: 'Changes',
        text: ({ changes }: Row) => changes.map(({ field, change }) => `${field} ${change}`).join(', '),
      },
    ];
    return printList(call, rows, columns, 'It has no revisions.');
  },
});
