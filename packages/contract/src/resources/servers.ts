import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, answerOnce, list, paging, Timestamp, topLevel } from '../envelope.ts';
import { choice, givenId, id, nullable, secret, shownOnce, text } from '../fields.ts';
import { Fingerprint } from '../fingerprint.ts';
import { instanceMachine } from '../machines/instance.ts';
import { serverMachine } from '../machines/server.ts';

import { NetworkUsage } from '../network-usage.ts';
import { Execution } from './actions.ts';

export const environments = ['development', 'staging', 'production'] as const;

export const Server = Type.Object(
  {
    id: id('server'),
    name: Type.String(),
    environment: choice(environments),
    description: nullable(Type.String()),
    deploy_tests: Type.Boolean({ description: 'Templates of the account are tried here before they are published.' }),
    status: choice(serverMachine.states),
    connected: Type.Boolean({
      description: 'Whether its daemon holds the channel open. A daemon that only polls is online without it.',
    }),
    last_seen_at: nullable(Timestamp, { description: 'When its daemon was last heard of, to within half a minute.' }),
    duplicate_seen_at: nullable(Timestamp, {
      description: 'When a second daemon with the same key last pushed out one that was still alive.',
    }),
    old_key_valid_until: nullable(Timestamp, {
      description: 'After a rotation: when the old key ends, unless the new one is used before.',
    }),
    daemon: Type.Object(
      {
        version: nullable(Type.String()),
        os: nullable(Type.String()),
        arch: nullable(Type.String()),
        engine: nullable(Type.String()),
        ingress: nullable(Type.String(), { description: 'What serves the routes there, or why nothing does.' }),
        capabilities: Type.Array(Type.String()),
      },
      { description: 'What the daemon said of itself when it last connected.' },
    ),
    identity: Type.Object(
      {
        status: choice(['unpinned', 'pinned', 'conflict'], {
          description:
            'unpinned: its daemon has shown no key pair, and the server key alone reads secrets. conflict: pinned, and another daemon came with the server key.',
        }),
        fingerprint: nullable(Type.String(), { description: 'Of the public key that secrets are sealed to.' }),
        pinned_at: nullable(Timestamp),
        conflicting_fingerprint: nullable(Type.String(), {
          description: 'Of the key pair that was refused; null where that daemon showed none.',
        }),
        conflict_seen_at: nullable(Timestamp),
      },
      { description: 'The key pair of its daemon, pinned when the service first saw it.' },
    ),
    fingerprint: nullable(Fingerprint, { description: 'What it is made of; null until its daemon has said so.' }),
    networks: nullable(NetworkUsage, {
      description:
        'How many further networks, so about how many instances, it has room for; null until its daemon has said so.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Server' },
);
export type Server = Static<typeof Server>;

const apiKey = {
  description: 'The key of the daemon. Shown this once; keep it.',
  replacement: 'Rotate the key of the server: POST /servers/{id}/rotate-key.',
};

export const RegisteredServer = Type.Object(
  {
    ...Server.properties,
    api_key: shownOnce(apiKey),
    manifest_public_key: Type.String({
      description: 'Ed25519, base64 of its SPKI. The daemon keeps it and takes only manifests that it verifies.',
    }),
  },
  { title: 'RegisteredServer' },
);
export type RegisteredServer = Static<typeof RegisteredServer>;

export const RotatedServer = Type.Object(
  {
    ...Server.properties,
    api_key: secret(apiKey),
    old_key: choice(['revoked', 'valid_until_acknowledged'], {
      description: 'A connected daemon is handed the new key, and the old one dies when it has acknowledged it.',
    }),
  },
  { title: 'RotatedServer' },
);
export type RotatedServer = Static<typeof RotatedServer>;

export const DrainedServer = Type.Object(
  {
    ...Server.properties,
    instances: Type.Array(
      Type.Object({
        id: id('instance'),
        definition_id: id('definition'),
        instance_uid: Type.String(),
        name: Type.String(),
        tenant_id: nullable(id('tenant')),
        status: choice(instanceMachine.states),
      }),
      { description: 'What is on it and would have to be moved.' },
    ),
  },
  { title: 'DrainedServer' },
);
export type DrainedServer = Static<typeof DrainedServer>;

export const PruneOrder = Type.Object(
  {
    dry_run: Type.Optional(Type.Boolean({ default: true, description: 'Only say what would go.' })),
    volumes: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        maxItems: 200,
        description: 'Volumes of instances that are gone, by name. No other volume goes.',
      }),
    ),
  },
  { title: 'PruneOrder', additionalProperties: false, examples: [{ dry_run: false, volumes: ['blog_data'] }] },
);
export type PruneOrder = Static<typeof PruneOrder>;

/** What the execution of a prune writes, as JSON. */
export const PruneReport = Type.Object(
  {
    dry_run: Type.Boolean(),
    containers: Type.Array(Type.String()),
    networks: Type.Array(Type.String()),
    images: Type.Array(Type.String()),
    volumes: Type.Array(Type.String()),
    kept_volumes: Type.Array(Type.String(), { description: 'They stay unless they are named.' }),
    problems: Type.Array(Type.String()),
  },
  { title: 'PruneReport' },
);
export type PruneReport = Static<typeof PruneReport>;

export const ServerRegistration = Type.Object(
  {
    name: text(120),
    environment: choice(environments),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    deploy_tests: Type.Optional(
      Type.Boolean({ description: 'Whether templates of the account are tried here before they are published.' }),
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
    deploy_tests: Type.Optional(
      Type.Boolean({ description: 'Whether templates of the account are tried here before they are published.' }),
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
          'Pin exactly this key: the conflicting one, or the pinned one to dismiss a conflict. Without it the next daemon that connects is pinned.',
      }),
    ),
  },
  { title: 'IdentityReset', additionalProperties: false, examples: [{}] },
);
export type IdentityReset = Static<typeof IdentityReset>;

const params = Type.Object({ id: givenId('Id of a server.') });

const register = {
  method: 'POST',
  tag: 'servers',
  description: 'Answers the key of its daemon, once.',
  permission: 'servers:write',
  idempotent: true,
  status: 201,
  body: ServerRegistration,
  response: answerOnce(RegisteredServer),
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
    response: answer(Server),
  }),
  'servers.update': endpoint({
    record: {
      read: 'servers.read',
      observed: ['connected', 'old_key_valid_until', 'last_seen_at', 'duplicate_seen_at', 'daemon', 'fingerprint'],
    },
    method: 'PUT',
    path: '/servers/{id}',
    tag: 'servers',
    summary: 'Change a server',
    description: 'What is left out stays as it is.',
    permission: 'servers:write',
    params,
    body: ServerUpdate,
    response: answer(Server),
  }),
  'servers.delete': endpoint({
    method: 'DELETE',
    path: '/servers/{id}',
    tag: 'servers',
    summary: 'Remove a server',
    description:
      'Refused while instances run on it or definitions that are not archived name it, unless it is forced: these are then archived and their containers left as they are. Its key dies at once.',
    permission: 'servers:write',
    params,
    query: Type.Object({
      force: Type.Optional(Type.Boolean({ default: false, description: 'Remove it with all that is on it.' })),
    }),
    response: answer(Server),
  }),
  'servers.rotateKey': endpoint({
    method: 'POST',
    path: '/servers/{id}/rotate-key',
    tag: 'servers',
    summary: 'Rotate the key of a server',
    description:
      'A server key reaches the secrets of all that is deployed there, so this needs `data:export` beside `servers:write`. The old key ends at once, unless the daemon is hortusd: that is handed the new key, and its old one stays valid until the new one is used, 24 hours at most (old_key_valid_until).',
    permission: 'data:export',
    params,
    query: Type.Object({
      force: Type.Optional(
        Type.Boolean({ default: false, description: 'End the old key at once, whichever daemon the server has.' }),
      ),
    }),
    response: answer(RotatedServer),
  }),
  'servers.resetIdentity': endpoint({
    method: 'POST',
    path: '/servers/{id}/reset-identity',
    tag: 'servers',
    summary: 'Forget the pinned key pair of a server',
    description:
      'For a daemon that was installed again and has another key pair. The connected daemon is told and disconnected. If the server key may be stolen, rotate it by force first: until a daemon is pinned again, the server key alone reads secrets. Needs `servers:write` too.',
    permission: 'data:export',
    params,
    body: IdentityReset,
    response: answer(Server),
  }),
  'servers.drain': endpoint({
    method: 'POST',
    path: '/servers/{id}/drain',
    tag: 'servers',
    summary: 'Take a server out of use',
    description:
      'No new deployments are taken for it; what runs goes on, and what was ordered before is carried out. Answers the instances to move.',
    permission: 'servers:write',
    params,
    response: answer(DrainedServer),
  }),
  'servers.undrain': endpoint({
    method: 'POST',
    path: '/servers/{id}/undrain',
    tag: 'servers',
    summary: 'Put a drained server back into use',
    permission: 'servers:write',
    params,
    response: answer(DrainedServer),
  }),
  'servers.prune': endpoint({
    method: 'POST',
    path: '/servers/{id}/prune',
    tag: 'servers',
    summary: 'Remove what is left on a server of instances that are gone',
    description:
      'Containers and networks with our labels, images that its daemon pulled and nobody uses, volumes only by name. Nothing else is touched. Answers an execution whose output, JSON, lists what goes; unless dry_run is false nothing does.',
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
    summary: 'List the servers that the calling user registered',
    permission: 'servers:read',
    query: Type.Object({ ...paging }),
    response: list(Server),
  }),
};
