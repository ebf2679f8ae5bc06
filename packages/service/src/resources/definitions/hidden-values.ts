import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { openConnection } from '../connections/public.ts';
import { secretValues } from './deployable.ts';
import { boundTargets } from './providers/store.ts';
import type { Owner } from './secrets.ts';

/**
 * Returns every secret that the containers of a definition may print: its own, and those of all connections and
 * instances that a revision of it is bound to. An earlier revision may still run.
 */
export async function hiddenValues(queries: Queries, vault: Pick<Vault, 'decrypt'>, owner: Owner): Promise<string[]> {
  const { accountId, definitionId } = owner;
  const values = await ownValues(queries, vault, owner);
  for (const target of await boundTargets(queries, definitionId)) {
    // A target is the id of either; the other kind has nothing by this id.
    const connection = await openConnection(queries, vault, accountId, target);
    for (const { value, secret } of Object.values(connection?.attributes ?? {})) if (secret) values.push(value);
    if (!connection) values.push(...(await ownValues(queries, vault, { accountId, definitionId: target })));
  }
  return values;
}

const ownValues = async (...args: Parameters<typeof secretValues>): Promise<string[]> =>
  (await secretValues(...args)).map(({ value }) => value);
