import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, envelopeOnce, list, paging, topLevel } from '../envelope.ts';
import { choice, idParam, nullable, text } from '../records/fields.ts';
import { Execution } from './actions.ts';
import { Balance } from './placement-records.ts';
import {
  DrainedServer,
  environments,
  LabelsInput,
  RegisteredServer,
  RotatedServer,
  Server,
  serverKinds,
} from './server-records.ts';

export const PruneOrder = Type.Object(
  {
    dry_run: Type.Optional(Type.Boolean({ default: true, description: 'Only report what would be removed.' })),
    volumes: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        maxItems: 200,
        description: 'Names of volumes of removed instances. No other volume is removed.',
      }),
    ),
  },
  { title: 'PruneOrder', additionalProperties: false, examples: [{ dry_run: false, volumes: ['blog_data'] }] },
);
export type PruneOrder = Static<typeof PruneOrder>;

/** Output of the execution of a prune, as JSON. */
export const PruneReport = Type.Object(
  {
    dry_run: Type.Boolean(),
    containers: Type.Array(Type.String()),
    networks: Type.Array(Type.String()),
    images: Type.Array(Type.String()),
    volumes: Type.Array(Type.String()),
    kept_volumes: Type.Array(Type.String(), { description: 'Volumes that were not named and therefore kept.' }),
    problems: Type.Array(Type.String()),
  },
  { title: 'PruneReport' },
);
export type PruneReport = Static<typeof PruneReport>;

export const ServerRegistration = Type.Object(
  {
    name: text(120),
    environment: choice(environments),
    kind: Type.Optional(
      choice(serverKinds, {
        default: 'server',
        description:
          'cluster: the managers of a Docker Swarm, as one server. The key that is returned belongs to its first member; add the others with POST /servers/{id}/members.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    labels: Type.Optional(LabelsInput),
    deploy_tests: Type.Optional(
      Type.Boolean({ description: 'Whether templates of the account are tested here before they are published.' }),
    ),
  },
  {
    title: 'ServerRegistration',
    additionalProperties: false,
    examples: [{ name: 'web-1', environment: 'production', description: 'The machine in the cellar' }],
  },
);
export type ServerRegistration = Static<typeof ServerRegistration>;

export const ServerUpdate = Type.Object(
  {
    name: Type.Optional(text(120)),
    environment: Type.Optional(choice(environments)),
    description: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
    labels: Type.Optional(LabelsInput),
    deploy_tests: Type.Optional(
      Type.Boolean({ description: 'Whether templates of the account are tested here before they are published.' }),
    ),
  },
  { title: 'ServerUpdate', additionalProperties: false, examples: [{ environment: 'staging' }] },
);
export type ServerUpdate = Static<typeof ServerUpdate>;

export const IdentityReset = Type.Object(
  {
    fingerprint: Type.Optional(
      Type.String({
        maxLength: 80,
        description:
          'Pin exactly this key: the conflicting one, or the pinned one to dismiss a conflict. Without it, the key of the next daemon that connects is pinned.',
      }),
    ),
  },
  { title: 'IdentityReset', additionalProperties: false, examples: [{}] },
);
export type IdentityReset = Static<typeof IdentityReset>;

const params = Type.Object({ id: idParam('Id of a server.') });

const register = {
  method: 'POST',
  tag: 'servers',
  description: 'Returns the key of its daemon, which is shown only once.',
  permission: 'servers:write',
  idempotent: true,
  status: 201,
  body: ServerRegistration,
  response: envelopeOnce(RegisteredServer),
} as const;

export const serverEndpoints = {
  'servers.list': endpoint({
    method: 'GET',
    path: '/servers',
    tag: 'servers',
    summary: 'List the servers',
    permission: 'servers:read',
    query: Type.Object({ ...paging }),
    response: list(Server),
  }),
  'servers.balance': endpoint({
    method: 'GET',
    path: '/servers/balance',
    tag: 'servers',
    summary: 'Propose moves that even out the memory of servers',
    description:
      'Moves nothing. Each move lowers the share of the fullest server by at least 5 percent points and would not be refused now. Needs `definitions:read` too.',
    permission: 'servers:read',
    response: envelope(Balance),
  }),
  'servers.register': endpoint({ ...register, path: '/servers/register', summary: 'Register a server' }),
  'servers.create': endpoint({ ...register, path: '/servers', summary: 'Register a server (alternative path)' }),
  'servers.read': endpoint({
    method: 'GET',
    path: '/servers/{id}',
    tag: 'servers',
    summary: 'Read a server',
    permission: 'servers:read',
    daemon: true,
    params,
    response: envelope(Server),
  }),
  'servers.update': endpoint({
    record: {
      read: 'servers.read',
      observed: [
        'connected',
        'cluster',
        'old_key_valid_until',
        'last_seen_at',
        'duplicate_seen_at',
        'daemon',
        'fingerprint',
      ],
    },
    method: 'PUT',
    path: '/servers/{id}',
    tag: 'servers',
    summary: 'Change a server',
    description: 'Omitted fields keep their values.',
    permission: 'servers:write',
    params,
    body: ServerUpdate,
    response: envelope(Server),
  }),
  'servers.delete': endpoint({
    method: 'DELETE',
    path: '/servers/{id}',
    tag: 'servers',
    summary: 'Remove a server',
    description:
      'Refused while it has running instances or definitions that are not archived, unless forced: the definitions are then archived and their containers left alone. Its key is revoked at once.',
    permission: 'servers:write',
    params,
    query: Type.Object({
      force: Type.Optional(Type.Boolean({ default: false, description: 'Remove it together with its definitions.' })),
    }),
    response: envelope(Server),
  }),
  'servers.rotateKey': endpoint({
    method: 'POST',
    path: '/servers/{id}/rotate-key',
    tag: 'servers',
    summary: 'Rotate the key of a server',
    description:
      'A server key gives access to the secrets of everything deployed there, so this needs `data:export` in addition to `servers:write`. The old key is revoked at once, unless the daemon is hortusd: it receives the new key, and the old one stays valid until the new one is used, for at most 24 hours (old_key_valid_until). Refused for a cluster: add a member and revoke the old one.',
    permission: 'data:export',
    params,
    query: Type.Object({
      force: Type.Optional(
        Type.Boolean({ default: false, description: 'Revoke the old key at once, regardless of the daemon.' }),
      ),
    }),
    response: envelope(RotatedServer),
  }),
  'servers.resetIdentity': endpoint({
    method: 'POST',
    path: '/servers/{id}/reset-identity',
    tag: 'servers',
    summary: 'Reset the pinned key pair of a server',
    description:
      'For a daemon that was reinstalled and has a new key pair. The connected daemon is notified and disconnected. If the server key may have been stolen, rotate it with force first: until a daemon is pinned again, the server key alone reads secrets. Needs `servers:write` too.',
    permission: 'data:export',
    params,
    body: IdentityReset,
    response: envelope(Server),
  }),
  'servers.drain': endpoint({
    method: 'POST',
    path: '/servers/{id}/drain',
    tag: 'servers',
    summary: 'Drain a server',
    description:
      'The server accepts no new deployments; running instances continue, and pending orders are executed. Returns the instances to move.',
    permission: 'servers:write',
    params,
    response: envelope(DrainedServer),
  }),
  'servers.undrain': endpoint({
    method: 'POST',
    path: '/servers/{id}/undrain',
    tag: 'servers',
    summary: 'End the drain of a server',
    permission: 'servers:write',
    params,
    response: envelope(DrainedServer),
  }),
  'servers.prune': endpoint({
    method: 'POST',
    path: '/servers/{id}/prune',
    tag: 'servers',
    summary: 'Remove leftovers of removed instances from a server',
    description:
      'Removes containers and networks with Hortus labels, unused images that the daemon pulled, and named volumes; touches nothing else. Returns an execution; its output lists the removed objects as JSON. Removes nothing unless dry_run is false.',
    permission: 'servers:write',
    status: 202,
    params,
    body: PruneOrder,
    response: topLevel({ execution: Execution }),
  }),
  'servers.mine': endpoint({
    method: 'GET',
    path: '/user/servers',
    tag: 'servers',
    summary: 'List the servers registered by the calling user',
    permission: 'servers:read',
    query: Type.Object({ ...paging }),
    response: list(Server),
  }),
};
