import type { vaultEndpoints } from '@hortus/contract/resources/vault';
import type { Handlers } from '../../http/handler.ts';
import type { Pages } from '../../storage/page.ts';
import type { Queries } from '../../storage/storage.ts';
import type { SecretChanges } from '../definitions/public.ts';
import { listAccess } from './access.ts';
import type { VaultAdministration } from './service.ts';

export interface VaultRouteDeps {
  readonly administration: VaultAdministration;
  readonly secrets: SecretChanges;
  readonly audit: { readonly reader: Queries; readonly pages: Pages };
}

export const vaultRoutes = ({
  administration,
  secrets,
  audit,
}: VaultRouteDeps): Handlers<keyof typeof vaultEndpoints> => ({
  'vault.access': async ({ principal, query }) => {
    const filter = { accountId: principal.accountId, definitionId: query.definition_id, access: query.access };
    return { success: true, ...(await listAccess(audit, filter, query)) };
  },
  'vault.set': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await secrets.set(tx, principal, params, body.value) })),
  'vault.rotateSecret': async ({ principal, params, write }) => {
    const rotation = await secrets.prepareRotation(principal, params);
    return write(async (tx) => ({ success: true, data: await secrets.rotate(tx, principal, rotation) }));
  },
  'vault.reveal': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await secrets.reveal(tx, principal, params) })),
  'vault.rotate': async ({ principal }) => ({ success: true, data: await administration.rotate(principal) }),
});
