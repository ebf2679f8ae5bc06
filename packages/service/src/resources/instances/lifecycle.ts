import { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import type { MoveOf } from '@hortus/contract/machines/machine';
import type { Lifecycle } from '../../state/transition.ts';
import type { Row } from '../../storage/tables.ts';

const shared = {
  table: 'instances',
  resource: 'instance',
  accountOf: (row: Row<'instances'>) => row.account_id,
  eventData: (row: Row<'instances'>) => ({
    instance_id: row.id,
    definition_id: row.definition_id,
    server_id: row.server_id,
    container_name: row.container_name,
    status: row.status,
    health: row.health,
    revision: row.revision,
  }),
} as const;

/** Status and health are two state machines on one row. */
export const instanceLifecycle: Lifecycle<typeof instanceMachine, 'instances'> = {
  ...shared,
  machine: instanceMachine,
  besides: { health: 'unknown' },
};

export const healthLifecycle: Lifecycle<typeof instanceHealthMachine, 'instances'> = {
  ...shared,
  machine: instanceHealthMachine,
  column: 'health',
};

export type StatusMove = MoveOf<typeof instanceMachine>;
type HealthMove = MoveOf<typeof instanceHealthMachine>;

/** Move that applies a reported status. */
export const statusMoves = {
  starting: 'starting',
  running: 'run',
  restarting: 'restart',
  stopped: 'stop',
  failed: 'fail',
} as const satisfies Record<string, StatusMove>;

export const healthMoves: Readonly<Record<Row<'instances'>['health'], HealthMove>> = {
  unknown: 'forget',
  starting: 'start',
  healthy: 'recover',
  unhealthy: 'sicken',
};
