import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { instanceMachine } from '../machines/instance.ts';
import { serverMachine } from '../machines/server.ts';
import { choice, id, nullable, secret, shownOnce } from '../records/fields.ts';
import { Fingerprint } from '../records/fingerprint.ts';
import { NetworkUsage } from '../records/network-usage.ts';

/** A cluster is several machines under one engine, such as a Docker Swarm; everything else is a server. */
export const serverKinds = ['server', 'cluster'] as const;

export const environments = ['development', 'staging', 'production'] as const;

const labelKey = '[a-z0-9]([a-z0-9._/-]{0,61}[a-z0-9])?';
const labelValue = '[A-Za-z0-9._-]{0,63}';
/** A label in one text, as in `site=berlin`. */
export const labelPattern = `^${labelKey}=${labelValue}$`;

const label = { key: Type.String({ pattern: `^${labelKey}$` }), about: 'Labels by which servers are chosen together.' };

export const ServerLabels = Type.Record(label.key, Type.String(), {
  description: label.about,
  examples: [{ site: 'berlin' }],
});

const labelsInput = (description: string) =>
  Type.Record(label.key, Type.String({ pattern: `^${labelValue}$`, maxLength: 63 }), {
    additionalProperties: false,
    maxProperties: 32,
    description,
  });

/** Labels that a caller sets; they replace all of the server. */
export const LabelsInput = labelsInput(`${label.about} Replaces all labels.`);

/** Labels that a chosen server must have. */
export const WantedLabels = labelsInput('Labels that the server must have, with these values.');
export type ServerLabels = Static<typeof ServerLabels>;

export const Server = Type.Object(
  {
    id: id('server'),
    name: Type.String(),
    kind: choice(serverKinds, {
      description: 'cluster: several machines under one engine, such as a Docker Swarm, with a daemon on each manager.',
    }),
    cluster: nullable(
      Type.Object({
        leader_member_id: nullable(id('clusterMember'), {
          description: 'Member whose daemon receives the orders; null while none leads.',
        }),
        epoch: Type.Integer({
          minimum: 0,
          description: 'Grows with every change of the leader. Reports of an older epoch are refused.',
        }),
      }),
      {
        description:
          'Null for an ordinary server. For a cluster, the fields about the daemon are those of its leading member.',
      },
    ),
    environment: choice(environments),
    description: nullable(Type.String()),
    labels: ServerLabels,
    deploy_tests: Type.Boolean({
      description: 'Whether templates of the account are tested here before they are published.',
    }),
    status: choice(serverMachine.states),
    trusted: Type.Boolean({
      description:
        'Whether its key was given to someone with data:export. Only trusted servers are chosen by the service, and only they receive existing secrets from callers without data:export. Rotating the key makes a server trusted; of a cluster, adding a member and revoking the first one.',
    }),
    connected: Type.Boolean({
      description: 'Whether its daemon has an open channel. A daemon that only polls is online without one.',
    }),
    last_seen_at: nullable(Timestamp, { description: 'Last contact with its daemon, accurate to 30 seconds.' }),
    duplicate_seen_at: nullable(Timestamp, {
      description: 'When a second daemon with the same key last replaced the connection of a live one.',
    }),
    old_key_valid_until: nullable(Timestamp, {
      description: 'After a rotation: when the old key expires, unless the new one is used before.',
    }),
    daemon: Type.Object(
      {
        version: nullable(Type.String()),
        newer_version: nullable(Type.String(), {
          description: 'Version of the signed release of this service for its platform, if it is newer.',
        }),
        os: nullable(Type.String()),
        arch: nullable(Type.String()),
        engine: nullable(Type.String()),
        ingress: nullable(Type.String(), {
          description: 'Ingress that serves the routes, or the reason why there is none.',
        }),
        address: nullable(Type.String(), { description: 'Address from which it last connected.' }),
        capabilities: Type.Array(Type.String()),
        refused: nullable(Type.Object({ reason: Type.String(), at: Timestamp }), {
          description:
            'Why a daemon with a valid key was last refused, if none has connected since: it runs with --cluster on an ordinary server, or without it on a cluster.',
        }),
      },
      { description: 'The daemon, as reported when it last connected.' },
    ),
    identity: Type.Object(
      {
        status: choice(['unpinned', 'pinned', 'conflict'], {
          description:
            'unpinned: its daemon has presented no key pair, and the server key alone reads secrets. conflict: pinned, and another daemon used the server key.',
        }),
        fingerprint: nullable(Type.String(), {
          description: 'Fingerprint of the public key to which secrets are sealed.',
        }),
        pinned_at: nullable(Timestamp),
        conflicting_fingerprint: nullable(Type.String(), {
          description: 'Fingerprint of the refused key pair; null if that daemon presented none.',
        }),
        conflict_seen_at: nullable(Timestamp),
      },
      { description: 'The key pair of its daemon, pinned when the service first saw it.' },
    ),
    fingerprint: nullable(Fingerprint, {
      description: 'Properties of the server; null until its daemon has reported them.',
    }),
    networks: nullable(NetworkUsage, {
      description:
        'Free networks, which limit the number of further instances; null until its daemon has reported them.',
    }),
    apps_domain: nullable(Type.String(), {
      description:
        'A required domain that is the host of a route may be left out: it becomes the uid of the definition in this domain (HORTUS_APPS_DOMAIN). Null if domains must be given, or until its daemon has connected.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Server' },
);
export type Server = Static<typeof Server>;

const apiKey = {
  description: 'The key of the daemon. Shown only once; store it.',
  replacement: 'Rotate the key of the server: POST /servers/{id}/rotate-key.',
};

export const RegisteredServer = Type.Object(
  {
    ...Server.properties,
    api_key: shownOnce(apiKey),
    member_id: Type.Optional(
      id('clusterMember', { description: 'Of a cluster: its first member, whose key is `api_key`.' }),
    ),
    manifest_public_key: Type.String({
      description:
        'Ed25519 public key, base64 of its SPKI. The daemon accepts only manifests that it verifies with this key.',
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
      description:
        'A connected daemon receives the new key; the old one is revoked when the daemon has acknowledged it.',
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
      { description: 'Instances to move to another server.' },
    ),
  },
  { title: 'DrainedServer' },
);
export type DrainedServer = Static<typeof DrainedServer>;
