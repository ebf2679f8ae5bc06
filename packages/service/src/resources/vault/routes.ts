import type { vaultEndpoints } from '@hortus/contract/resources/vault';
import type { Handlers } from '../../http/handler.ts';
import type { VaultAdministration } from './service.ts';

export const vaultRoutes = (administration: VaultAdministration): Handlers<keyof typeof vaultEndpoints> => ({
  'vault.rotate': async ({ principal }) => ({ success: true, data: await administration.rotate(principal) }),
});
