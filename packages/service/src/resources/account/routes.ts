import type { accountEndpoints } from '@hortus/contract/resources/account';
import type { Handlers } from '../../http/handler.ts';
import type { Accounts } from './service.ts';

export const accountRoutes = (accounts: Accounts): Handlers<keyof typeof accountEndpoints> => ({
  'account.login': async (call) => {
    const { token, expiresAt, session } = await accounts.login(call.body, call.address);
    call.setSession(token, expiresAt);
    return { success: true, data: session };
  },
  'account.logout': async (call) => {
    await accounts.logout(call.principal);
    call.setSession(null);
    return { success: true, data: { signed_out: true } };
  },
  'account.read': async ({ principal }) => ({ success: true, data: await accounts.read(principal) }),
  'account.changePassword': async ({ principal, body, address }) => ({
    success: true,
    data: await accounts.changePassword(principal, body, address),
  }),
});
