import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import type { Queries, Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { SecretChanges } from '../definitions/public.ts';
import { vaultRoutes } from './routes.ts';
import { VaultAdministration } from './service.ts';

interface Needs {
  readonly storage: Storage;
  readonly reader: Queries;
  readonly pages: Pages;
  readonly vault: Vault;
  readonly secretChanges: SecretChanges;
}

export const resource = {
  wire: ({ storage, reader, pages, vault, secretChanges }: Needs) => ({
    handlers: vaultRoutes({
      administration: new VaultAdministration({ storage, vault }),
      secrets: secretChanges,
      audit: { reader, pages },
    }),
  }),
} satisfies Resource<Needs>;
