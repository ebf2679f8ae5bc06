import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { id, idParam, nullable, text } from '../records/fields.ts';
import { NeedClass } from '../template/matching.ts';

const name = text(120, { description: 'Display name, unique within the account.', examples: ['Office mail'] });
const attributeName = Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' });
const Value = Type.String({ minLength: 1, maxLength: 4_096 });
const bounded = { additionalProperties: false, maxProperties: 32 };

export const Connection = Type.Object(
  {
    id: id('connection'),
    name: Type.String(),
    class: Type.String({ examples: ['email.smtp'] }),
    attributes: Type.Record(Type.String(), Type.String(), { description: 'Without secret attributes.' }),
    secret_attributes: Type.Array(Type.String(), {
      description: 'Names of the secret attributes that have a value. Values are never shown.',
    }),
    used_by: Type.Array(
      Type.Object({ definition_id: id('definition'), instance_uid: Type.String(), need: Type.String() }),
      {
        description:
          'Definitions that are bound to it, at most 100. They use changed values from their next deployment on.',
      },
    ),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Connection', description: 'Saved details of a service outside, which definitions can be bound to.' },
);
export type Connection = Static<typeof Connection>;

export const ConnectionCreate = Type.Object(
  {
    name,
    class: NeedClass,
    attributes: Type.Record(attributeName, Value, {
      ...bounded,
      minProperties: 1,
      description:
        'For known classes, such as email.smtp, the known attributes. For a class with host and port, url is derived if it is omitted; for identity.oidc, discovery_url.',
    }),
  },
  {
    title: 'ConnectionCreate',
    additionalProperties: false,
    examples: [
      {
        name: 'Office mail',
        class: 'email.smtp',
        attributes: {
          host: 'smtp.example.org',
          port: '587',
          username: 'noreply',
          password: 'a long password',
          from: 'noreply@example.org',
        },
      },
    ],
  },
);
export type ConnectionCreate = Static<typeof ConnectionCreate>;

export const ConnectionUpdate = Type.Object(
  {
    name: Type.Optional(name),
    attributes: Type.Optional(
      Type.Record(attributeName, nullable(Value), {
        ...bounded,
        description:
          'Merged into the current values: null removes one; omitted ones stay, including secrets. A change of where they are sent, such as host, port, url, security or username, must contain every stored secret again, or null for it.',
      }),
    ),
  },
  {
    title: 'ConnectionUpdate',
    additionalProperties: false,
    examples: [{ attributes: { password: 'another long password' } }],
  },
);
export type ConnectionUpdate = Static<typeof ConnectionUpdate>;

export const Provider = Type.Object(
  {
    definition_id: id('definition'),
    instance_uid: Type.String({ description: 'Name to bind a need to.' }),
    name: Type.String(),
    species: Type.String(),
    server_id: id('server'),
    class: Type.String({ description: 'The class that it provides.', examples: ['database.postgres'] }),
  },
  { title: 'Provider', description: 'A definition whose instances can meet a need.' },
);
export type Provider = Static<typeof Provider>;

const params = Type.Object({ id: idParam('Id of a connection.') });
const shared = { tag: 'connections', params, response: envelope(Connection) } as const;

export const connectionEndpoints = {
  'connections.list': endpoint({
    method: 'GET',
    path: '/connections',
    tag: 'connections',
    summary: 'List the saved connections',
    permission: 'connections:read',
    query: Type.Object({ class: Type.Optional(text(100, { description: 'Only of this class.' })), ...paging }),
    response: list(Connection),
  }),
  'connections.providers': endpoint({
    method: 'GET',
    path: '/connections/providers',
    tag: 'connections',
    summary: 'List the definitions whose instances can meet a need',
    permission: 'definitions:read',
    query: Type.Object({
      class: Type.Optional(
        text(100, { description: 'Class of the need; any by default.', examples: ['database.postgres'] }),
      ),
      ...paging,
    }),
    response: list(Provider),
  }),
  'connections.create': endpoint({
    method: 'POST',
    path: '/connections',
    tag: 'connections',
    summary: 'Save the details of a connection',
    description: 'Secret attributes are encrypted and never shown again. Definitions bind their needs to it.',
    permission: 'connections:write',
    idempotent: true,
    status: 201,
    body: ConnectionCreate,
    response: envelope(Connection),
  }),
  'connections.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/connections/{id}',
    summary: 'Read a connection',
    permission: 'connections:read',
  }),
  'connections.update': endpoint({
    record: { read: 'connections.read' },
    ...shared,
    method: 'PATCH',
    path: '/connections/{id}',
    summary: 'Change a connection',
    description: 'Definitions that are bound to it use the new values from their next deployment on.',
    permission: 'connections:write',
    body: ConnectionUpdate,
  }),
  'connections.delete': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/connections/{id}',
    summary: 'Delete a connection',
    description: 'Refused while a definition that is not archived is bound to it.',
    permission: 'connections:write',
  }),
};
