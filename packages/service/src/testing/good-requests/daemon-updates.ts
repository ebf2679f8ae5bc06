import type { Caller } from '../running-service.ts';
import type { GoodRequests } from './good.ts';
import { aServer } from './servers.ts';

/** A server whose daemon has connected once, and is offline. */
async function aDaemon(caller: Caller): Promise<string> {
  const id = await aServer(caller);
  await caller.introduceDaemon(id);
  return id;
}

const order = async (caller: Caller) => ({
  servers: [await aDaemon(caller)],
  version: '1.2.3',
  stages: [1, '100%'],
  max_failed: 0,
  offline_minutes: 60,
  allow_downgrade: false,
});

const anUpdate = async (caller: Caller): Promise<string> =>
  (await caller.client.call('daemon-updates.create', { body: await order(caller) })).data.id;

const ofUpdate = async (caller: Caller) => ({ params: { id: await anUpdate(caller) } });

export const daemonUpdateRequests = {
  'daemon-updates.list': async (caller) => {
    await anUpdate(caller);
    return { query: { status: 'running' } };
  },
  'daemon-updates.create': async (caller) => ({ body: await order(caller) }),
  'daemon-updates.read': ofUpdate,
  'daemon-updates.continue': async (caller) => {
    const id = await anUpdate(caller);
    await caller.haltUpdate(id);
    return { params: { id } };
  },
} satisfies Partial<GoodRequests>;
