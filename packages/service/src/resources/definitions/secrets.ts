import type { Canonical } from '@hortus/template/canonical/canonical-form';
import type { Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { type SecretRow, writeSecret } from './store.ts';

/** Binds a value to its definition and name: moved to another, it does not decrypt. */
export const secretContext = (definitionId: string, name: string): string => `definition/${definitionId}/${name}`;

/** Owner of the secrets. */
export interface Owner {
  readonly accountId: string;
  readonly definitionId: string;
}

/** Stores the values generated from the template, once per definition. */
export async function keepGenerated(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  spec: Canonical,
  generated: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(generated)) {
    // Both halves of a key pair belong to one secret.
    const generator = spec.secrets[name.replace(/\.public$/, '')]?.generate ?? null;
    await keep(tx, vault, owner, { name, value, kind: 'generated', generator });
  }
}

/** Stores the values the user gave: password inputs and external secrets. */
export async function storeUserSecrets(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  spec: Canonical,
  input: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(input)) {
    const kind = Object.hasOwn(spec.secrets, name) ? 'external' : 'input';
    await keep(tx, vault, owner, { name, value, kind, generator: null });
  }
}

async function keep(
  tx: Tx,
  vault: Vault,
  { accountId, definitionId }: Owner,
  secret: Pick<SecretRow, 'name' | 'kind' | 'generator'> & { value: string },
): Promise<void> {
  const { name, kind, generator, value } = secret;
  const ciphertext = await vault.encrypt(tx, accountId, value, secretContext(definitionId, name));
  await writeSecret(tx, {
    definition_id: definitionId,
    name,
    kind,
    generator,
    ciphertext,
    created_at: tx.now,
    updated_at: tx.now,
  });
}
