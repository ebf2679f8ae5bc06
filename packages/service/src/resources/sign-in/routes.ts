import type { signInEndpoints } from '@hortus/contract/resources/sign-in';
import type { Handlers } from '../../http/handler.ts';
import type { Accounts } from './service.ts';
import type { Sessions } from './sessions.ts';

export const signInRoutes = (accounts: Accounts, sessions: Sessions): Handlers<keyof typeof signInEndpoints> => ({
  'account.login': async (call) => {
    const { token, expiresAt, session } = await accounts.login(call.body, call);
    call.setSession(token, expiresAt);
    return { success: true, data: session };
  },
  'account.logout': async (call) => {
    await accounts.logout(call.principal);
    call.setSession(null);
    return { success: true, data: { signed_out: true } };
  },
  'account.read': async ({ principal }) => ({ success: true, data: await accounts.read(principal) }),
  'account.changeProfile': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await accounts.changeProfile(tx, principal, body) })),
  'account.changePassword': async ({ principal, body, address }) => ({
    success: true,
    data: await accounts.changePassword(principal, body, address),
  }),
  'account.sessions': async ({ principal, query }) => ({ success: true, ...(await sessions.list(principal, query)) }),
  'account.endSession': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await sessions.end(tx, principal, params.id) })),
  'account.endOtherSessions': ({ principal, write }) =>
    write(async (tx) => ({ success: true, data: await sessions.endOthers(tx, principal) })),
});
