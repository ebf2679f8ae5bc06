import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import type { Tx } from '../../storage/storage.ts';
import { recipeLifecycle } from './lifecycle.ts';
import type { RecipeRow } from './store.ts';

/**
 * Appends to the audit list of the recipe's account and to that of the admin. The author does not learn which key of
 * another account acted.
 */
export async function audit(tx: Tx, principal: Principal, type: `audit.${string}`, row: RecipeRow): Promise<void> {
  for (const accountId of new Set([row.account_id, principal.accountId])) {
    await append(tx, {
      type,
      accountId,
      resourceType: 'recipe',
      resourceId: row.id,
      actor: accountId === principal.accountId ? actorOf(principal) : null,
      data: recipeLifecycle.eventData(row),
    });
  }
}
