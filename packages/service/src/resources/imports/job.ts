import type { Bundle } from '@hortus/contract/resources/imports';
import { standInFor } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { type NextStep, rowJob } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
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

export const wakeImport = waker(IMPORT);

/** A client that sends nothing for this long is considered gone. */
const TIMEOUT_MS = 10 * 60_000;

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
export const importJob = (deps: ImportJobDeps): JobKind =>
  rowJob({
    storage: deps.storage,
    lock: lockImport,
    isOver: ({ status }) => status !== 'receiving',
    prepare: (id) => readOrder(deps, id),
    advance: async (tx, row, order) => order && (await advance(tx, deps, row, order)),
    // A check that passed when the import began fails now.
    async fail(tx, row, { message: error, details }) {
      await fail(tx, deps, row, { reason: String(details?.reason ?? 'refused'), error, actor: null });
      return undefined;
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

async function advance(tx: Tx, deps: ImportJobDeps, row: ImportRow, order: Order): Promise<NextStep> {
  const transfers = await deps.transfers.ofImport(tx, row.id);
  const broken = transfers.find(({ status }) => status === 'failed' || status === 'cancelled');
  const failing = (reason: string, error: string) => fail(tx, deps, row, { reason, error, actor: null });
  if (broken)
    await failing('transfer', `Volume ${broken.storage} could not be filled: ${broken.error ?? broken.status}`);
  else if (volumesIn(row).every(({ name }) => isFilled(name, transfers))) await finish(tx, deps, row, order);
  else if (tx.now - row.progress_at > TIMEOUT_MS)
    await failing('deadline', `No data was received for ${TIMEOUT_MS / 60_000} minutes.`);
  else return row.progress_at + TIMEOUT_MS + 1;
  return undefined;
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
