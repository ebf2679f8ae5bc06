import type { VaultRotation } from '@hortus/contract/resources/vault';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';

/** What an admin may do with the vault. */
export class VaultAdministration {
  readonly #storage: Storage;
  readonly #vault: Vault;

  constructor({ storage, vault }: { storage: Storage; vault: Vault }) {
    this.#storage = storage;
    this.#vault = vault;
  }

  async rotate(principal: Principal): Promise<VaultRotation> {
    const { rewrapped, fingerprint } = await this.#vault.rotate();
    // After the fact and on its own: a rotation is many small transactions, and each of them counts by itself.
    await this.#storage.write((tx) =>
      append(tx, {
        type: 'audit.vault_rotated',
        accountId: principal.accountId,
        resourceType: 'vault',
        resourceId: fingerprint,
        actor: actorOf(principal),
        data: { rewrapped, fingerprint },
      }),
    );
    return { rewrapped, fingerprint };
  }
}
