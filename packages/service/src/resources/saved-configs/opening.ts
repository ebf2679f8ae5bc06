import type { Inputs } from '@hortus/template/inputs/inputs';
import { invalid } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { findConfig, secretsOf } from './store.ts';

/** Binds a value to its config and name: moved to another, it does not decrypt. */
const place = (configId: string, name: string): string => `saved config/${configId}/${name}`;

export const sealSecret = (
  tx: Tx,
  vault: Pick<Vault, 'encrypt'>,
  config: { readonly accountId: string; readonly id: string },
  name: string,
  value: string,
): Promise<string> => vault.encrypt(tx, config.accountId, value, place(config.id, name));

/** A config with secret values, for creating definitions; never shown. */
export interface OpenedConfig {
  readonly species: string;
  readonly profile: string | null;
  readonly variant: string | null;
  readonly inputs: Inputs;
  /** Names of the secret inputs. */
  readonly secrets: readonly string[];
}

export async function openSavedConfig(
  queries: Queries,
  vault: Pick<Vault, 'decrypt'>,
  accountId: string,
  id: string,
): Promise<OpenedConfig> {
  const row = await findConfig(queries, accountId, id);
  if (!row) throw invalid('saved_config_id', 'there is no such saved config.', { reason: 'unknown' });
  const inputs: Inputs = JSON.parse(row.inputs);
  const secrets = await secretsOf(queries, [id]);
  for (const { name, ciphertext } of secrets)
    inputs[name] = await vault.decrypt(queries, accountId, ciphertext, place(id, name));
  const { species, profile, variant } = row;
  return { species, profile, variant, inputs, secrets: secrets.map(({ name }) => name) };
}
