import { connectionClasses } from '@hortus/contract/resources/connection-classes';
import type { Connection } from '@hortus/contract/resources/connections';
import { valueOptions } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList, printRecord } from '../command-line/printing.ts';
import { missingAttributes, noteExposed, repeatedSecrets } from '../connecting/attributes.ts';
import { Failure } from '../failure.ts';
import { findConnection } from '../lookup/connections.ts';
import { confirmByName } from '../orders/asking.ts';
import { ago } from '../output/words.ts';

const values = {
  set: { type: 'string', value: 'attribute=value', multiple: true, about: 'Value of an attribute.' },
  'set-file': {
    type: 'string',
    value: 'attribute=path',
    multiple: true,
    about: 'Value of an attribute, read from a file; - reads standard input.',
  },
} as const;
const spelt = { set: 'set', setFile: 'set-file' };

export const connectionsList = command({
  name: 'connections list',
  summary: 'List the saved connections: mail servers, databases and others',
  options: { class: { type: 'string', value: 'class', about: 'Only of this class, such as email.smtp.' } },
  examples: [['hortus connections list --class email.smtp', 'Secrets are never shown.']],
  calls: ['connections.list'],
  async run(call) {
    const query = call.options.class === undefined ? {} : { class: call.options.class };
    const rows = await Array.fromAsync((await call.client()).pages('connections.list', { query }));
    const columns = [
      { title: 'Name', text: ({ name }: Connection) => name },
      { title: 'Class', text: (connection: Connection) => connection.class },
      { title: 'Address', text: ({ attributes: of }: Connection) => addressOf(of) },
      { title: 'Used by', text: ({ used_by }: Connection) => namesOf(used_by) },
      { title: 'Changed', text: ({ updated_at }: Connection) => ago(updated_at, call.world.now()) },
      { title: 'Id', text: ({ id }: Connection) => id },
    ];
    return printList(call, rows, columns, 'No connections. Save one with hortus connections create <name> <class>');
  },
});

export const connectionsShow = command({
  name: 'connections show',
  summary: 'Show a saved connection; secrets are never shown',
  args: ['connection'],
  examples: [["hortus connections show 'Office mail'", 'By name or id.']],
  calls: ['connections.list'],
  async run(call) {
    const connection = await findConnection(await call.client(), call.args.connection);
    return printRecord(call, connection, [
      ['Name', connection.name],
      ['Class', connection.class],
      ...Object.entries(connection.attributes),
      ...connection.secret_attributes.map((name) => [name, '(set, not shown)'] as const),
      ['Used by', namesOf(connection.used_by) || 'nothing'],
      ['Changed', ago(connection.updated_at, call.world.now())],
      ['Id', connection.id],
    ]);
  },
});

export const connectionsCreate = command({
  name: 'connections create',
  summary: 'Save the details of a connection',
  about: `Asks for missing attributes, and for secrets without showing them. Known classes are ${Object.keys(connectionClasses).join(', ')};\nothers are accepted with any attributes.`,
  args: ['name', 'class'],
  options: values,
  examples: [
    [
      "hortus connections create 'Office mail' email.smtp --set host=smtp.example.org --set port=587 --set username=noreply",
      'Asks for the password.',
    ],
    [
      "hortus connections create 'Office mail' email.smtp --set host=smtp.example.org --set port=587 --set-file password=-",
      'Reads the password from a pipe, for a script.',
    ],
  ],
  calls: ['connections.create'],
  async run(call) {
    const { args, options, world } = call;
    const input = await valueOptions(world, spelt, options.set, options['set-file']);
    noteExposed(world, args.class, options.set);
    const attributes = await missingAttributes(world, args.class, input);
    const { data } = await (await call.client()).call('connections.create', { body: { ...args, attributes } });
    return printDone(
      call,
      data,
      `${data.name} is saved (${data.id}). Use it with hortus deploy <species> --need <need>=connection:${data.id}`,
    );
  },
});

export const connectionsUpdate = command({
  name: 'connections update',
  summary: 'Change a saved connection',
  about:
    'Bound definitions use the new values from their next deployment on. A change of where secrets are sent, such as the host, needs them again.',
  args: ['connection'],
  options: {
    ...values,
    unset: { type: 'string', value: 'attribute', multiple: true, about: 'Remove an attribute.' },
    name: { type: 'string', value: 'name', about: 'New name.' },
  },
  examples: [
    ["hortus connections update 'Office mail' --set-file password=new-password.txt", 'Other attributes stay.'],
  ],
  calls: ['connections.list', 'connections.update'],
  async run(call) {
    const { args, options, world } = call;
    const client = await call.client();
    const connection = await findConnection(client, args.connection);
    const { id, class: className } = connection;
    const changed: Record<string, string | null> = await valueOptions(world, spelt, options.set, options['set-file']);
    noteExposed(world, className, options.set);
    for (const name of options.unset) changed[name] = null;
    if (Object.keys(changed).length === 0 && options.name === undefined)
      throw new Failure('usage', 'Nothing to change.', { hint: 'Use --set, --set-file, --unset or --name.' });
    await repeatedSecrets(world, connection, changed);
    const body = { attributes: changed, ...(options.name === undefined ? {} : { name: options.name }) };
    const { data } = await client.call('connections.update', { params: { id }, body });
    return printDone(call, data, `${data.name} is changed.${deployAgain(data)}`);
  },
});

export const connectionsDelete = command({
  name: 'connections delete',
  summary: 'Delete a saved connection that no definition uses',
  args: ['connection'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [["hortus connections delete 'Office mail'", 'Asks you to type the name.']],
  calls: ['connections.list', 'connections.delete'],
  async run(call) {
    const client = await call.client();
    const { id, name } = await findConnection(client, call.args.connection);
    await confirmByName(call.world, `The values of ${name} are deleted.`, name, call.options.yes);
    const { data } = await client.call('connections.delete', { params: { id } });
    return printDone(call, data, `${data.name} is deleted.`);
  },
});

const addressOf = ({ host, port, endpoint, issuer }: Connection['attributes']): string =>
  host === undefined ? (endpoint ?? issuer ?? '') : port === undefined ? host : `${host}:${port}`;

const namesOf = (used: Connection['used_by']): string =>
  [...new Set(used.map(({ instance_uid }) => instance_uid))].join(', ');

const deployAgain = ({ used_by }: Connection): string =>
  used_by.length === 0 ? '' : ` Deploy again what uses it: ${namesOf(used_by)}.`;
