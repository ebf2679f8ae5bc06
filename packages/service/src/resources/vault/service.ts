import type { VaultRotation } from '@hortus/contract/resources/vault';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';

/** Vault operations for admins. */
export class VaultAdministration {
  readonly #storage: Storage;
  readonly #vault: Vault;

  constructor({ storage, vault }: { storage: Storage; vault: Vault }) {
    this.#storage = storage;
    this.#vault = vault;
  }

  async rotate(principal: Principal): Promise<VaultRotation> {
    const { rewrapped, fingerprint } = await this.#vault.rotate();
    // Written afterwards and separately, because a rotation consists of many small transactions.
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
