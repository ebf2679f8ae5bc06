import type { Manifest } from '@hortus/contract/template/manifest';
import { conflict } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import { findCapacity } from './store.ts';

/** Resources that a manifest reserves on its server. */
export interface Reservation {
  readonly memory: number;
  /** Cores of the component with the largest limit: Docker refuses a limit above the number of cores. */
  readonly cores: number;
}

export function reservationOf({ components }: Pick<Manifest, 'components'>): Reservation {
  const services = components.filter(({ kind }) => kind === 'service');
  return {
    memory: services.reduce(
      (sum, { resources, replicas }) => sum + (resources.memory_reservation_bytes ?? 0) * replicas,
      0,
    ),
    cores: Math.max(0, ...components.map(({ resources }) => resources.cpus ?? 0)),
  };
}

export interface Wanted {
  readonly accountId: string;
  readonly serverId: string;
  readonly reservation: Reservation;
  /** Memory reserved by all other deployments on the server; queried only if needed. */
  readonly others: () => Promise<number>;
}

/** Refuses a reservation that exceeds the last reported capacity. A server without a report passes. */
export async function requireRoom(queries: Queries, { accountId, serverId, reservation, others }: Wanted) {
  const { memory, cores } = reservation;
  if (memory === 0 && cores === 0) return;
  const capacity = await findCapacity(queries, accountId, serverId);
  if (!capacity || capacity.reported_at === null) return;
  const lacking: { resource: 'memory' | 'cpu'; needed: number; available: number }[] = [];
  if (memory > 0) {
    const total = (capacity.memory_used ?? 0) + (capacity.memory_free ?? 0);
    const available = Math.max(0, total - (await others()));
    if (memory > available) lacking.push({ resource: 'memory', needed: memory, available });
  }
  if (capacity.cpu_cores !== null && cores > capacity.cpu_cores)
    lacking.push({ resource: 'cpu', needed: cores, available: capacity.cpu_cores });
  if (lacking.length === 0) return;
  const reported = lacking.map(({ resource, needed, available }) => `${resource} (needs ${needed}, has ${available})`);
  throw conflict(
    'definition_id',
    'capacity',
    `its server does not have enough ${reported.join(' and ')}; set ignore_capacity to deploy anyway.`,
    { lacking },
  );
}
