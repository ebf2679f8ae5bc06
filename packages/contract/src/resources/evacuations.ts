import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { evacuationMachine, evacuationMoveMachine } from '../machines/evacuation.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';
import { MigrationPlan } from './migrations.ts';
import { PlacementWish } from './placement-records.ts';

/** Most definitions and tenants that one evacuation moves; a second one moves the rest. */
export const MAX_MOVES = 500;

const Finding = MigrationPlan.properties.blockers.items;

const subject = {
  tenant_id: nullable(id('tenant'), { description: 'A tenant moves with all of its definitions.' }),
  definition_id: nullable(id('definition'), { description: 'Null for a tenant.' }),
  name: Type.String({ description: 'Name of the definition or the tenant.' }),
};

export const PlannedMove = Type.Object(
  {
    ...subject,
    to_server_id: nullable(id('server'), { description: 'Null if it cannot be moved.' }),
    to_server_name: nullable(Type.String()),
    reason: Type.String({ description: 'Why this server, or why it cannot be moved.' }),
    running: Type.Boolean({ description: 'Whether it is stopped for the last copy of its data.' }),
    volumes: Type.Array(Type.String()),
    addresses: Type.Array(Type.String(), { description: 'Host names that must point to the target afterwards.' }),
    blockers: Type.Array(Finding, { description: 'Why it cannot be moved.' }),
    warnings: Type.Array(Finding),
  },
  { title: 'PlannedMove' },
);
export type PlannedMove = Static<typeof PlannedMove>;

export const EvacuationPlan = Type.Object(
  {
    server_id: id('server'),
    server_name: Type.String(),
    moves: Type.Array(PlannedMove, { description: `Largest first; at most ${MAX_MOVES}.` }),
    left_out: Type.Integer({ minimum: 0, description: 'Number of definitions and tenants beyond that.' }),
  },
  { title: 'EvacuationPlan' },
);
export type EvacuationPlan = Static<typeof EvacuationPlan>;

export const EvacuationMove = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    ...subject,
    status: choice(evacuationMoveMachine.states),
    to_server_id: nullable(id('server'), { description: 'Null if no server fitted.' }),
    reason: nullable(Type.String(), { description: 'Why this server.' }),
    migration_id: nullable(id('migration')),
    error: nullable(Type.String(), { description: 'Why it was not moved.' }),
    downtime_ms: nullable(Type.Integer()),
    finished_at: nullable(Timestamp),
  },
  { title: 'EvacuationMove' },
);
export type EvacuationMove = Static<typeof EvacuationMove>;

export const Evacuation = Type.Object(
  {
    id: id('evacuation'),
    server_id: id('server'),
    status: choice(evacuationMachine.states, {
      description: 'incomplete: something could not be moved. A cancelled one ends when its migrations have ended.',
    }),
    at_once: Type.Integer({ minimum: 1 }),
    total: Type.Integer({ minimum: 0 }),
    moved: Type.Integer({ minimum: 0 }),
    moving: Type.Integer({ minimum: 0 }),
    stuck: Type.Integer({ minimum: 0 }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'Evacuation' },
);
export type Evacuation = Static<typeof Evacuation>;

export const EvacuationDetail = Type.Object(
  { ...Evacuation.properties, moves: Type.Array(EvacuationMove, { description: 'In the order in which they begin.' }) },
  { title: 'EvacuationDetail' },
);
export type EvacuationDetail = Static<typeof EvacuationDetail>;

export const EvacuationOrder = Type.Object(
  {
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only return the plan.' })),
    at_once: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 8, default: 2, description: 'Number of migrations at the same time.' }),
    ),
    placement: Type.Optional(PlacementWish),
  },
  { title: 'EvacuationOrder', additionalProperties: false, examples: [{ dry_run: true }] },
);
export type EvacuationOrder = Static<typeof EvacuationOrder>;

export const EvacuationAnswer = Type.Object(
  { plan: EvacuationPlan, evacuation: nullable(EvacuationDetail, { description: 'Null for a dry run.' }) },
  { title: 'EvacuationAnswer' },
);
export type EvacuationAnswer = Static<typeof EvacuationAnswer>;

const ofServer = Type.Object({ id: idParam('Id of a server.') });
const item = { tag: 'servers', params: Type.Object({ id: idParam('Id of an evacuation.') }) } as const;

export const evacuationEndpoints = {
  'evacuations.create': endpoint({
    method: 'POST',
    path: '/servers/{id}/evacuations',
    tag: 'servers',
    summary: 'Empty a server by migrations',
    description:
      'Drains the server and moves its definitions to servers that have room, several at a time. Each target is chosen again when its move begins, so it may differ from the plan. Needs `definitions:write` too.',
    permission: 'servers:write',
    idempotent: true,
    status: 202,
    params: ofServer,
    body: EvacuationOrder,
    response: envelope(EvacuationAnswer),
  }),
  'evacuations.list': endpoint({
    method: 'GET',
    path: '/servers/{id}/evacuations',
    tag: 'servers',
    summary: 'List the evacuations of a server, newest first',
    permission: 'servers:read',
    params: ofServer,
    query: Type.Object({ ...paging }),
    response: list(Evacuation),
  }),
  'evacuations.read': endpoint({
    ...item,
    method: 'GET',
    path: '/evacuations/{id}',
    summary: 'Read an evacuation with its moves',
    permission: 'servers:read',
    response: envelope(EvacuationDetail),
  }),
  'evacuations.cancel': endpoint({
    ...item,
    method: 'POST',
    path: '/evacuations/{id}/cancel',
    summary: 'Cancel an evacuation',
    description: 'Begins no further move; migrations that have begun continue. The server stays drained. Idempotent.',
    permission: 'servers:write',
    status: 202,
    response: envelope(EvacuationDetail),
  }),
};
