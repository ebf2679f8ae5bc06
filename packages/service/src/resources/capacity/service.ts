import type { Capacity, CapacityReport } from '@hortus/contract/resources/capacity';
import type { Principal } from '../../identity/principal.ts';
import { notFound } from '../../problem.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { isoOrNull } from '../../time.ts';
import { countServers, findCapacity, listCapacity, type ReportedRow, writeCapacity } from './store.ts';

export interface CapacitiesDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly clock?: () => number;
}

export class Capacities {
  readonly #deps: CapacitiesDeps;
  constructor(deps: CapacitiesDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, request: PageRequest): Promise<Page<Capacity>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, {
      rows: (limit, offset) => listCapacity(reader, accountId, limit, offset),
      count: (atMost) => countServers(reader, accountId, atMost),
      countKey: `capacity ${accountId}`,
    });
    return { ...page, data: page.data.map((row) => capacityRecord(row, this.#now())) };
  }

  read(principal: Principal, serverId: string): Promise<Capacity> {
    return this.#find(this.#deps.reader, principal, serverId);
  }

  async report(tx: Tx, principal: Principal, serverId: string, report: CapacityReport): Promise<Capacity> {
    await this.#find(tx, principal, serverId);
    const { memory, cpu, disk } = report;
    await writeCapacity(tx, {
      server_id: serverId,
      memory_used: memory.used,
      memory_free: memory.free,
      cpu_cores: cpu.cores,
      cpu_used_percent: cpu.used_percent,
      disk_used: disk.used,
      disk_free: disk.free,
      reported_at: tx.now,
    });
    return this.#find(tx, principal, serverId);
  }

  async #find(queries: Queries, principal: Principal, serverId: string): Promise<Capacity> {
    // A daemon speaks of its own server and of no other.
    if (principal.kind === 'server' && principal.serverId !== serverId) throw notFound('server');
    const row = await findCapacity(queries, principal.accountId, serverId);
    if (!row) throw notFound('server');
    return capacityRecord(row, this.#now());
  }

  #now(): number {
    return (this.#deps.clock ?? Date.now)();
  }
}

const capacityRecord = (row: ReportedRow, now: number): Capacity => ({
  server_id: row.id,
  memory: usage(row.memory_used, row.memory_free),
  cpu:
    row.cpu_cores === null || row.cpu_used_percent === null
      ? null
      : { cores: row.cpu_cores, used_percent: row.cpu_used_percent },
  disk: usage(row.disk_used, row.disk_free),
  reported_at: isoOrNull(row.reported_at),
  // Clocks of replicas differ a little, and no report is from the future.
  age_seconds: row.reported_at === null ? null : Math.max(0, Math.floor((now - row.reported_at) / 1_000)),
});

const usage = (used: number | null, free: number | null) => (used === null || free === null ? null : { used, free });
