import type { Bundle } from '@hortus/contract/resources/imports';
import { standInFor } from '../../identity/principal.ts';
import type { Answer, JobKind } from '../../jobs/job.ts';
import { Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import type { Definitions, Order } from '../definitions/public.ts';
import type { Deployments } from '../deployments/public.ts';
import type { Catalog } from '../templates/public.ts';
import { audit, type EndingDeps, fail } from './ending.ts';
import { importLifecycle } from './lifecycle.ts';
import { orderOf } from './order.ts';
import { isFilled, volumesIn } from './record.ts';
import { type ImportRow, importById, lockImport } from './store.ts';

/** One job per import, until it has ended. */
export const IMPORT = 'bundle.import';

/** A client that sends nothing for this long is considered gone. */
const PATIENCE_MS = 10 * 60_000;

/** Binds the sealed bundle to its import. */
export const sealingContext = (importId: string): string => `import/${importId}`;

export interface ImportJobDeps extends EndingDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly catalog: Pick<Catalog, 'byId' | 'known' | 'load'>;
  readonly work: Work;
  readonly definitions: Pick<Definitions, 'create'>;
  readonly deployments: Pick<Deployments, 'execute'>;
}

/** Waits until all volumes are filled, then creates the definition and its first deployment in one transaction. */
export const importJob = (deps: ImportJobDeps): JobKind => ({
  // Only the database is needed, so a failure is temporary; retry until the import has ended.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ job, complete }) => {
    const { storage } = deps;
    const { import_id: id } = job.payload as { import_id: string };
    try {
      const order = await readOrder(deps, id);
      return await storage.write(async (tx) => complete(tx, order ? await advance(tx, deps, id, order) : 'done'));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // A check that passed when the import began fails now.
      const why = { reason: String(error.details?.reason ?? 'refused'), error: error.message, actor: null };
      return await storage.write(async (tx) => {
        const row = await lockImport(tx, id);
        if (row?.status === 'receiving') await fail(tx, deps, row, why);
        return complete(tx, 'done');
      });
    }
  },
});

/** Prepared before the transaction, because generating missing secrets may be slow. */
async function readOrder({ storage, vault, catalog, work }: ImportJobDeps, id: string): Promise<Order | undefined> {
  const row = await importById(storage.reader, id);
  if (row?.status !== 'receiving') return undefined;
  const bundle = JSON.parse(
    await vault.decrypt(storage.reader, row.account_id, row.bundle, sealingContext(id)),
  ) as Bundle;
  // Published with the import; this process may not have loaded it yet.
  if (!catalog.byId(row.template_id)) await catalog.load();
  return await orderOf({ reader: storage.reader, work }, bundle, catalog.known(row.template_id), {
    definitionId: row.definition_id,
    serverId: row.server_id,
    name: row.name,
    instanceUid: row.instance_uid,
    containerName: row.container_name ?? undefined,
  });
}

async function advance(tx: Tx, deps: ImportJobDeps, id: string, order: Order): Promise<Answer> {
  const row = await lockImport(tx, id);
  if (row?.status !== 'receiving') return 'done';
  const transfers = await deps.transfers.ofImport(tx, id);
  const broken = transfers.find(({ status }) => status === 'failed' || status === 'cancelled');
  const failing = (reason: string, error: string) => fail(tx, deps, row, { reason, error, actor: null });
  if (broken)
    await failing('transfer', `Volume ${broken.storage} could not be filled: ${broken.error ?? broken.status}`);
  else if (volumesIn(row).every(({ name }) => isFilled(name, transfers))) await finish(tx, deps, row, order);
  else if (tx.now - row.progress_at > PATIENCE_MS)
    await failing('deadline', `No data was received for ${PATIENCE_MS / 60_000} minutes.`);
  else return { again: row.progress_at + PATIENCE_MS + 1 };
  return 'done';
}

async function finish(
  tx: Tx,
  { definitions, deployments }: ImportJobDeps,
  row: ImportRow,
  order: Order,
): Promise<void> {
  const actor = row.created_by;
  const principal = standInFor(row.account_id, actor);
  const { id: definition_id } = await definitions.create(tx, principal, order);
  const ignore_capacity = row.ignore_capacity === 1;
  const { id: deployment_id } = await deployments.execute(tx, principal, { definition_id, ignore_capacity });
  const set = { deployment_id, bundle: '', finished_at: tx.now };
  const completed = await transition(tx, importLifecycle, row, 'complete', { actor, set });
  await audit(tx, 'audit.import_completed', completed, actor);
}
