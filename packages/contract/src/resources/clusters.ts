import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, envelopeOnce, list, paging, Timestamp, topLevel } from '../envelope.ts';
import { choice, id, idParam, nullable, shownOnce, text } from '../records/fields.ts';
import { Execution } from './actions.ts';
import { ClusterNode, NodesReport } from './cluster-nodes.ts';
import { Server } from './server-records.ts';

export const ClusterMember = Type.Object(
  {
    id: id('clusterMember'),
    server_id: id('server'),
    name: Type.String(),
    role: choice(['leader', 'standby', 'offline', 'pending'], {
      description:
        'leader: receives the orders of the cluster. standby: connected, and takes over when the leader is lost. offline: not connected. pending: has never connected.',
    }),
    last_seen_at: nullable(Timestamp, { description: 'Last contact with its daemon, accurate to 30 seconds.' }),
    daemon: Server.properties.daemon,
    identity: Server.properties.identity,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'ClusterMember', description: 'A daemon of a cluster, with a key and a key pair of its own.' },
);
export type ClusterMember = Static<typeof ClusterMember>;

export const ClusterMemberAddition = Type.Object(
  { name: text(120, { description: 'Name of the manager; unique in the cluster.' }) },
  { title: 'ClusterMemberAddition', additionalProperties: false, examples: [{ name: 'manager-2' }] },
);
export type ClusterMemberAddition = Static<typeof ClusterMemberAddition>;

export const AddedClusterMember = Type.Object(
  {
    ...ClusterMember.properties,
    api_key: shownOnce({
      description: 'The key of its daemon. Shown only once; store it.',
      replacement: 'Add another member and revoke this one: POST /servers/{id}/members.',
    }),
    manifest_public_key: Type.String({
      description:
        'Ed25519 public key, base64 of its SPKI. The daemon accepts only manifests that it verifies with this key.',
    }),
  },
  { title: 'AddedClusterMember' },
);
export type AddedClusterMember = Static<typeof AddedClusterMember>;

const params = Type.Object({ id: idParam('Id of a server of kind cluster.') });

const nodeParams = Type.Object({
  ...params.properties,
  node: Type.String({ minLength: 1, maxLength: 128, description: 'Id of a node.' }),
});

const nodeOrder = {
  method: 'POST',
  tag: 'servers',
  permission: 'servers:write',
  status: 202,
  params: nodeParams,
  response: topLevel({ execution: Execution }),
} as const;

export const clusterEndpoints = {
  'clusters.members': endpoint({
    method: 'GET',
    path: '/servers/{id}/members',
    tag: 'servers',
    summary: 'List the members of a cluster',
    description: 'Empty for an ordinary server.',
    permission: 'servers:read',
    params,
    query: Type.Object({ ...paging }),
    response: list(ClusterMember),
  }),
  'clusters.addMember': endpoint({
    method: 'POST',
    path: '/servers/{id}/members',
    tag: 'servers',
    summary: 'Add a member to a cluster',
    description:
      'Returns the key of its daemon, which is shown only once. The key gives access to the secrets of everything deployed there, so this needs `data:export` in addition to `servers:write`.',
    permission: 'data:export',
    idempotent: true,
    status: 201,
    params,
    body: ClusterMemberAddition,
    response: envelopeOnce(AddedClusterMember),
  }),
  'clusters.revokeMember': endpoint({
    method: 'DELETE',
    path: '/servers/{id}/members/{member_id}',
    tag: 'servers',
    summary: 'Revoke a member of a cluster',
    description:
      'Its key is revoked and its daemon disconnected at once. If it leads, another connected member takes over. Containers keep running.',
    permission: 'servers:write',
    params: Type.Object({ ...params.properties, member_id: idParam('Id of a member.') }),
    response: envelope(ClusterMember),
  }),
  'clusters.nodes': endpoint({
    method: 'GET',
    path: '/servers/{id}/nodes',
    tag: 'servers',
    summary: 'List the nodes of a cluster, and what runs where',
    description: 'Empty for an ordinary server, and until the leading daemon has reported them.',
    permission: 'servers:read',
    params,
    query: Type.Object({ ...paging }),
    response: list(ClusterNode),
  }),
  'clusters.reportNodes': endpoint({
    method: 'PUT',
    path: '/servers/{id}/nodes',
    tag: 'servers',
    summary: 'Report the nodes of a cluster',
    description: 'For the leading daemon. A node that is no longer ready, or ready again, is an event.',
    permission: 'servers:report',
    daemon: true,
    params,
    body: NodesReport,
    response: envelope(Type.Object({ nodes: Type.Integer({ minimum: 0 }) })),
  }),
  'clusters.drainNode': endpoint({
    ...nodeOrder,
    path: '/servers/{id}/nodes/{node}/drain',
    summary: 'Drain a node of a cluster',
    description:
      'Its tasks are moved to other nodes, except those that are pinned to it by a local volume: these stop until it is active again. Returns an execution.',
  }),
  'clusters.activateNode': endpoint({
    ...nodeOrder,
    path: '/servers/{id}/nodes/{node}/activate',
    summary: 'Let a drained node of a cluster take tasks again',
    description: 'Tasks that were moved away stay where they are. Returns an execution.',
  }),
};
