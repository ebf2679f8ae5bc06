import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import type { Tx } from '../../storage/storage.ts';
import { recipeLifecycle } from './lifecycle.ts';
import type { RecipeRow } from './store.ts';

/**
 * Tells the account that the recipe is from, and that of an admin who did something with it: each reads of it in its own
 * list, and the author not by which key of another account it was done.
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
