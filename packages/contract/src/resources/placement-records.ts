import Type, { type Static } from 'typebox';
import { choice, id, nullable, text } from '../records/fields.ts';
import { Definition } from './definition-records.ts';
import { WantedLabels } from './server-records.ts';

/** Given instead of the id of a server, lets the service choose one. */
export const AUTO_SERVER = 'auto';

/** Most servers named in an answer about a choice. */
export const MAX_CONSIDERED = 20;

/** Requirements that a server may not meet. */
const placementLacks = [
  'status',
  'label',
  'architecture',
  'engine',
  'cpu',
  'memory',
  'disk',
  'port',
  'route',
  'trust',
  'elsewhere',
] as const;
export type PlacementLack = (typeof placementLacks)[number];

export const PlacementWish = Type.Object(
  {
    labels: Type.Optional(WantedLabels),
    arch: Type.Optional(text(32, { description: 'Architecture that the server must have.', examples: ['arm64'] })),
  },
  {
    title: 'PlacementWish',
    additionalProperties: false,
    description: 'What the chosen server must have. Only with server_id `auto`.',
    examples: [{ labels: { site: 'berlin' } }],
  },
);
export type PlacementWish = Static<typeof PlacementWish>;

const Lacking = Type.Object({
  reason: choice(placementLacks, { description: 'For programs.' }),
  message: Type.String({ description: 'For people.' }),
});

export const ConsideredServer = Type.Object(
  {
    server_id: id('server'),
    name: Type.String(),
    fits: Type.Boolean(),
    free_memory_bytes: nullable(Type.Integer(), {
      description: 'Memory neither used nor reserved; null before the first report of its capacity.',
    }),
    lacking: Type.Array(Lacking, { description: 'What it does not meet; empty if it fits.' }),
  },
  { title: 'ConsideredServer' },
);
export type ConsideredServer = Static<typeof ConsideredServer>;

export const Placement = Type.Object(
  {
    server_id: id('server'),
    reason: Type.String({ description: 'Why this server was chosen, for people.' }),
    considered: Type.Array(ConsideredServer, {
      maxItems: MAX_CONSIDERED,
      description: `The chosen server first, then the others, best first; at most ${MAX_CONSIDERED}.`,
    }),
    considered_total: Type.Integer({ minimum: 1, description: 'Number of servers of the account.' }),
  },
  { title: 'Placement' },
);
export type Placement = Static<typeof Placement>;

export const CreatedDefinition = Type.Object(
  {
    ...Definition.properties,
    /** Why its server was chosen; absent if the request names it. */
    placement: Type.Optional(Placement),
  },
  { title: 'CreatedDefinition' },
);
export type CreatedDefinition = Static<typeof CreatedDefinition>;

/** Most moves that are proposed at once. */
export const MAX_PROPOSED = 20;

export const Balance = Type.Object(
  {
    servers: Type.Array(
      Type.Object({
        server_id: id('server'),
        name: Type.String(),
        memory_bytes: Type.Integer({ minimum: 0 }),
        taken_bytes: Type.Integer({
          minimum: 0,
          description: 'Reserved memory, and 64 MiB for each definition without.',
        }),
        taken_bytes_after: Type.Integer({ minimum: 0, description: 'The same after the proposed moves.' }),
      }),
      { description: 'Online servers that have reported their capacity, by name; at most 200.' },
    ),
    moves: Type.Array(
      Type.Object({
        definition_id: id('definition'),
        name: Type.String(),
        from_server_id: id('server'),
        from_server_name: Type.String(),
        to_server_id: id('server'),
        to_server_name: Type.String(),
        memory_bytes: Type.Integer({ minimum: 0 }),
        reason: Type.String(),
        command: Type.String({ description: 'The command that would move it.' }),
      }),
      {
        maxItems: MAX_PROPOSED,
        description: 'In the order in which they should be made. Nothing is moved by reading this.',
      },
    ),
  },
  { title: 'Balance' },
);
export type Balance = Static<typeof Balance>;
