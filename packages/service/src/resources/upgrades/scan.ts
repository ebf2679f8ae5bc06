import { compareVersions } from '@hortus/template/notation/version-order';
import { upgradePath } from '@hortus/template/upgrade/path';
import { refusalOf } from '@hortus/template/upgrade/refusal';
import type { JobKind } from '../../jobs/job.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import { RunAgain, type Storage, type Tx } from '../../storage/storage.ts';
import type { Catalog, Publication } from '../templates/public.ts';
import { notBegun, recordUpgrade, upgradeLifecycle } from './lifecycle.ts';
import { forgetOpen, type RunningRow, runningInstances, type ScanScope, upgradesOf } from './store.ts';
import { verdictOn } from './verdict.ts';

/** Periodic job that checks every instance. */
export const SCAN = 'upgrades.scan';

export interface ScanDeps {
  readonly storage: Storage;
  readonly catalog: Pick<Catalog, 'byId' | 'newestOf' | 'versionsOf' | 'load'>;
}

export interface Counts {
  readonly scanned: number;
  readonly found: number;
  readonly superseded: number;
  readonly available: number;
  /** Upgrades that wait, but that the newest version refuses. */
  readonly refused: number;
}

/** One transaction per batch, so that an interrupted scan keeps its results. */
const BATCH = 100;

/** Compares running versions with the catalog. Idempotent. */
export async function scan(
  { storage, catalog }: ScanDeps,
  scope: ScanScope,
  actor: string | null,
  signal?: AbortSignal,
): Promise<Counts> {
  const total = { scanned: 0, found: 0, superseded: 0, available: 0, refused: 0 };
  for (let after = ''; !signal?.aborted; ) {
    const rows = await runningInstances(storage.reader, scope, after, BATCH);
    const last = rows.at(-1);
    if (!last) break;
    const counts = await storage.write((tx) => scanBatch(tx, catalog, rows, actor));
    total.scanned += rows.length;
    for (const name of ['found', 'superseded', 'available', 'refused'] as const) total[name] += counts[name];
    if (rows.length < BATCH) break;
    after = last.id;
  }
  return total;
}

/** Repeats while the service runs; the next run continues after a stop. */
export const scanJob = (deps: ScanDeps, every: number): JobKind => ({
  every,
  concurrency: 1,
  run: async ({ signal }) => {
    await scan(deps, {}, null, signal);
    return 'done';
  },
});

/** Finds upgrades for instances that run earlier versions of a published template. */
export const publishedJob = ({ storage, catalog }: ScanDeps): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  concurrency: 1,
  run: async ({ job, signal }) => {
    const { species, owner } = job.payload as Publication;
    // Another process may have published it.
    await catalog.load();
    const templateIds = catalog.versionsOf(species, owner);
    if (templateIds.length > 1) await scan({ storage, catalog }, { templateIds }, null, signal);
    return 'done';
  },
});

async function scanBatch(tx: Tx, catalog: ScanDeps['catalog'], rows: readonly RunningRow[], actor: string | null) {
  const counts = { found: 0, superseded: 0, available: 0, refused: 0 };
  const ids = rows.map(({ id }) => id);
  const known = Map.groupBy(await upgradesOf(tx, ids), ({ instance_id }) => instance_id);
  for (const row of rows) {
    const { target, refused } = pathFrom(catalog, row.template_id) ?? {};
    const verdict = verdictOn(row.template_id, target?.id, known.get(row.id) ?? []);
    counts.superseded += await forgetOpen(tx, verdict.superseded);
    if (verdict.available) counts[refused ? 'refused' : 'available']++;
    if (!verdict.found || !target) continue;
    await found(tx, row, target, actor);
    counts.found++;
  }
  return counts;
}

/** The version to upgrade to now, and the required stops on the way to the newest one. */
export interface PathFrom {
  readonly target: { readonly id: string; readonly species: string };
  readonly stops: readonly string[];
  /** Whether the newest version does not take the data of this one. */
  readonly refused: boolean;
}

/**
 * Plans the upgrade of a template; undefined if it is the newest. If no version for a required stop is published, the
 * target is the newest version, which cannot be applied until there is one. The same version is the target if it refuses the
 * data of the running one: its record says what to do instead.
 */
export function pathFrom(
  catalog: Pick<Catalog, 'byId' | 'newestOf' | 'versionsOf'>,
  templateId: string,
): PathFrom | undefined {
  const template = catalog.byId(templateId);
  // A draft under test has no upgrades, and an account's template is never upgraded to the catalog's of the same name.
  if (template?.item.status !== 'published') return undefined;
  const { item: running, owner } = template;
  const candidate = catalog.newestOf(running.species, owner);
  const newest = candidate?.owner === owner ? candidate.item : undefined;
  if (!candidate || !newest || newest.deprecated || compareVersions(newest.version, running.version) <= 0)
    return undefined;
  const { spec } = candidate;
  if (refusalOf(running, spec)) return { target: newest, stops: [], refused: true };
  // Most species have no stops; do not look at every version of those.
  const known = spec.upgrade?.via === undefined ? [] : catalog.versionsOf(running.species, owner);
  const items = known.flatMap((id) => catalog.byId(id)?.item ?? []).filter(({ deprecated }) => !deprecated);
  const { next = newest, stops } = upgradePath(running, newest, spec, items);
  return { target: next, stops, refused: false };
}

async function found(tx: Tx, row: RunningRow, target: { id: string; species: string }, actor: string | null) {
  const upgrade = {
    id: newId('upgrade'),
    account_id: row.account_id,
    instance_id: row.id,
    definition_id: row.definition_id,
    server_id: row.server_id,
    species: target.species,
    from_template_id: row.template_id,
    to_template_id: target.id,
    acknowledged_at: null,
    ...notBegun,
    ignore_capacity: 0 as const,
    applied_by: null,
    started_at: null,
    batch: null,
    created_at: tx.now,
    updated_at: tx.now,
  };
  // If a concurrent scan inserts it first, run again.
  const born = await begin(tx, upgradeLifecycle, upgrade, 'find', actor, () => new RunAgain());
  await recordUpgrade(tx, born, 'found', actor);
}
