import type { memberEndpoints } from '@hortus/contract/resources/members';
import type { Handlers } from '../../http/handler.ts';
import type { FirstRun } from './first-run.ts';
import type { Members } from './service.ts';

export const memberRoutes = (members: Members, firstRun: FirstRun): Handlers<keyof typeof memberEndpoints> => ({
  'members.list': async ({ principal, query }) => ({ success: true, ...(await members.list(principal, query)) }),
  'members.remove': ({ principal, params, query, write }) =>
    write(async (tx) => ({
      success: true,
      data: await members.remove(tx, principal, params.id, query.keys ?? 'revoke'),
    })),
  'members.grant': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await members.grant(tx, principal, params.id, body.permissions) })),
  'members.resetPassword': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await members.resetPassword(tx, principal, params.id) })),
  'members.setPassword': async ({ body }) => ({ success: true, data: await members.setPassword(body) }),
  'members.invites': async ({ principal, query }) => ({ success: true, ...(await members.invites(principal, query)) }),
  'members.invite': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await members.invite(tx, principal, body) })),
  'members.revokeInvite': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await members.revokeInvite(tx, principal, params.id) })),
  'members.accept': async ({ body, setSession, address, userAgent }) => {
    const { token, expiresAt, session } = await members.accept(body, { address, userAgent });
    setSession(token, expiresAt);
    return { success: true, data: session };
  },
  'members.firstRun': async ({ body, setSession, address, userAgent }) => {
    const { token, expiresAt, session } = await firstRun.begin(body, { address, userAgent });
    setSession(token, expiresAt);
    return { success: true, data: session };
  },
});
