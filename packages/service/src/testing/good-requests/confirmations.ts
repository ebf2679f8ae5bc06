import type { Caller } from '../running-service.ts';
import { aDefinition } from './definitions.ts';
import type { GoodRequests } from './good.ts';
import { signedIn } from './identity.ts';

const archiving = async (caller: Caller) =>
  ({ endpoint: 'definitions.archive', params: { id: await aDefinition(caller) } }) as const;

const request = async (caller: Caller) =>
  (await caller.client.call('confirmations.create', { body: await archiving(caller) })).data.id;

/** Requests one, or returns a pending one if the account has as many as it may have. */
const aConfirmation = (caller: Caller) =>
  request(caller).catch(async (refusal) => {
    const { data } = await caller.client.call('confirmations.list', { query: { status: 'pending' } });
    const [pending] = data;
    if (pending === undefined) throw refusal;
    return pending.id;
  });

export const confirmationRequests = {
  'confirmations.create': async (caller) => ({
    body: { ...(await archiving(caller)), reason: 'It is no longer used.' },
  }),
  'confirmations.list': async (caller) => {
    await aConfirmation(caller);
    return {};
  },
  'confirmations.read': async (caller) => ({ params: { id: await aConfirmation(caller) } }),
  'confirmations.confirm': async (caller) => ({
    headers: await signedIn(caller),
    params: { id: await aConfirmation(caller) },
  }),
  'confirmations.reject': async (caller) => ({
    headers: await signedIn(caller),
    params: { id: await aConfirmation(caller) },
  }),
} satisfies Partial<GoodRequests>;
