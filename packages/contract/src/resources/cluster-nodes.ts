import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { choice, id, nullable } from '../records/fields.ts';

/** Ids of nodes as Docker makes them. They become part of a path of the engine's interface. */
const nodeIdPattern = '^[a-z0-9]{1,64}$';

const nodeTask = Type.Object({
  instance_uid: Type.String({ maxLength: 128, description: 'The instance that it belongs to.' }),
  component: Type.String({ maxLength: 128 }),
  running: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Containers of the component on this node.' }),
});

/** A length of a name would be lost: only its pattern reaches the schema of a map. */
const labelName = Type.String({ pattern: '^[\\s\\S]{0,128}$' });
const labelText = Type.String({ maxLength: 256 });
const labels = {
  maxProperties: 64,
  description: 'Labels of the node, by which `placement` of a template chooses.',
};

const reported = {
  id: Type.String({ pattern: nodeIdPattern, maxLength: 64, description: 'Id of the node in its cluster.' }),
  hostname: Type.String({ maxLength: 255 }),
  role: choice(['manager', 'worker']),
  availability: choice(['active', 'pause', 'drain'], {
    description: 'active: takes tasks. pause: takes no new ones. drain: its tasks were moved to other nodes.',
  }),
  state: choice(['ready', 'down', 'disconnected', 'unknown'], { description: 'Whether it answers to its cluster.' }),
  labels: Type.Record(Type.String(), labelText, labels),
};

export const ReportedNode = Type.Object({
  ...reported,
  labels: Type.Record(labelName, labelText, { ...labels, additionalProperties: false }),
  engine_version: Type.Optional(Type.String({ maxLength: 64 })),
  capacity: Type.Optional(
    Type.Object({
      cpus: Type.Number({ minimum: 0, maximum: 100_000 }),
      memory_bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    }),
  ),
  tasks: Type.Optional(Type.Array(nodeTask, { maxItems: 1_000, description: 'What runs there.' })),
});
export type ReportedNode = Static<typeof ReportedNode>;

export const NodesReport = Type.Object(
  { nodes: Type.Array(ReportedNode, { maxItems: 500, description: 'All nodes; those that are missing are removed.' }) },
  {
    title: 'NodesReport',
    examples: [
      {
        nodes: [
          {
            id: 'k3x0c5d2m1',
            hostname: 'node-1',
            role: 'manager',
            availability: 'active',
            state: 'ready',
            labels: { zone: 'a' },
          },
        ],
      },
    ],
  },
);
export type NodesReport = Static<typeof NodesReport>;

export const ClusterNode = Type.Object(
  {
    server_id: id('server'),
    ...reported,
    engine_version: nullable(Type.String()),
    capacity: nullable(Type.Object({ cpus: Type.Number(), memory_bytes: Type.Integer() })),
    tasks: Type.Array(nodeTask),
    state_since: Timestamp,
    reported_at: Timestamp,
  },
  { title: 'ClusterNode', description: 'A machine of a cluster, as its leading daemon last reported it.' },
);
export type ClusterNode = Static<typeof ClusterNode>;
