import type { ReportedFingerprint } from '@hortus/contract/records/fingerprint';
import type { NetworkUsage } from '@hortus/contract/records/network-usage';
import type { Capacity, CapacityHistory, CapacityPoint, CapacityReport } from '@hortus/contract/resources/capacity';
import type { MetricRange, ReportedUsage } from '@hortus/contract/resources/metrics';
import type { Principal } from '../../identity/principal.ts';
import { notFound } from '../../problem.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { beginOf, steps, windowOf } from '../metrics/public.ts';
import {
  addCapacity,
  type CapacitySum,
  capacityList,
  findCapacity,
  type ReportedRow,
  sumCapacity,
  writeCapacity,
} from './store.ts';

export interface CapacitiesDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  /** Records the fingerprint of the server. */
  readonly identify: (tx: Tx, serverId: string, found: ReportedFingerprint) => Promise<void>;
  /** Records how many networks the server uses and has left. */
  readonly recordNetworks: (tx: Tx, serverId: string, networks: NetworkUsage) => Promise<void>;
  /** Records the resource usage of instances. */
  readonly recordUsage: (tx: Tx, serverId: string, usage: readonly ReportedUsage[]) => Promise<void>;
  readonly clock?: () => number;
}

export class Capacities {
  readonly #deps: CapacitiesDeps;
  constructor(deps: CapacitiesDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, request: PageRequest): Promise<Page<Capacity>> {
    const { reader, pages } = this.#deps;
    const now = this.#now();
    return await pages.read(request, capacityList(reader, { accountId }), (row) => capacityRecord(row, now));
  }

  read(principal: Principal, serverId: string): Promise<Capacity> {
    return this.#find(this.#deps.reader, principal, serverId);
  }

  /** Returns the last report of a server; undefined if the account has no such server. */
  async latest(accountId: string, serverId: string): Promise<Capacity | undefined> {
    const row = await findCapacity(this.#deps.reader, accountId, serverId);
    return row && capacityRecord(row, this.#now());
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
    const sample = {
      server_id: serverId,
      samples: 1,
      cpu_sum: cpu.used_percent,
      cpu_max: cpu.used_percent,
      memory_used_sum: memory.used,
      memory_used_max: memory.used,
      memory_free_sum: memory.free,
      disk_used_sum: disk.used,
      disk_free_sum: disk.free,
    };
    await addCapacity(
      tx,
      steps.map((step) => ({ ...sample, step, at: beginOf(step, tx.now) })),
    );
    if (report.fingerprint !== undefined) await this.#deps.identify(tx, serverId, report.fingerprint);
    if (report.networks !== undefined) await this.#deps.recordNetworks(tx, serverId, report.networks);
    await this.#deps.recordUsage(tx, serverId, report.usage ?? []);
    return this.#find(tx, principal, serverId);
  }

  async history(principal: Principal, serverId: string, range: MetricRange = '1h'): Promise<CapacityHistory> {
    const { reader } = this.#deps;
    await this.#find(reader, principal, serverId);
    const span = windowOf(range, this.#now());
    return {
      server_id: serverId,
      range,
      from: iso(span.from),
      to: iso(span.to),
      step_seconds: span.width / 1_000,
      points: (await sumCapacity(reader, serverId, span)).map(pointOf),
    };
  }

  async #find(queries: Queries, principal: Principal, serverId: string): Promise<Capacity> {
    // A daemon reads and reports only its own server.
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
  // The clocks of replicas differ slightly; never answer a negative age.
  age_seconds: row.reported_at === null ? null : Math.max(0, Math.floor((now - row.reported_at) / 1_000)),
});

const usage = (used: number | null, free: number | null) => (used === null || free === null ? null : { used, free });

function pointOf(sum: CapacitySum): CapacityPoint {
  const bytes = (of: 'memory_used_sum' | 'memory_free_sum' | 'disk_used_sum' | 'disk_free_sum') =>
    Math.round(sum[of] / sum.samples);
  return {
    at: iso(sum.begin),
    cpu: { used_percent: percent(sum.cpu_sum / sum.samples), max_percent: percent(sum.cpu_max) },
    memory: { used: bytes('memory_used_sum'), max_used: sum.memory_used_max, free: bytes('memory_free_sum') },
    disk: { used: bytes('disk_used_sum'), free: bytes('disk_free_sum') },
  };
}

const percent = (value: number): number => Math.round(value * 100) / 100;
