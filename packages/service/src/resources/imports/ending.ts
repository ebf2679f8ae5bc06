import { append } from '../../outbox/append.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { ServerState } from '../servers/public.ts';
import type { Transfers } from '../transfers/public.ts';
import { importLifecycle } from './lifecycle.ts';
import type { ImportRow } from './store.ts';
import { type TakeBackDeps, takeBackTemplate } from './template.ts';

export interface EndingDeps extends TakeBackDeps {
  readonly transfers: Pick<Transfers, 'ofImport' | 'order' | 'cancel'>;
  readonly server: (queries: Queries, accountId: string, id: string) => Promise<ServerState | undefined>;
}

/** Why an import failed: a code for programs, a sentence for people. */
export interface Failing {
  readonly reason: string;
  readonly error: string;
  readonly actor: string | null;
}

/**
 * Fails a running import and removes its volumes from the server once that is connected. Also removes the template that
 * it added to the account.
 */
export async function fail(tx: Tx, deps: EndingDeps, row: ImportRow, { reason, error, actor }: Failing) {
  const { transfers, server } = deps;
  const { id, account_id, server_id } = row;
  const there = await server(tx, account_id, server_id);
  for (const transfer of await transfers.ofImport(tx, id)) {
    await transfers.cancel(tx, transfer.id, actor);
    const { definition_id, instance_uid, storage, volume } = transfer;
    const what = { account_id, definition_id, instance_uid, storage, volume, import_id: id, to_server_id: server_id };
    if (there) await transfers.order(tx, { ...what, mode: 'discard' }, actor);
  }
  const set = { reason, error, bundle: '', finished_at: tx.now };
  const failed = await transition(tx, importLifecycle, row, 'fail', { actor, set });
  await audit(tx, 'audit.import_failed', failed, actor);
  await takeBackTemplate(tx, deps, failed, actor);
  return failed;
}

export const audit = (tx: Tx, type: `audit.${string}`, row: ImportRow, actor: string | null): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'import',
    resourceId: row.id,
    actor,
    data: importLifecycle.eventData(row),
  });
