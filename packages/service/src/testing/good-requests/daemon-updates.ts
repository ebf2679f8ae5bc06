import { until } from '@hortus/testkit/until';
import { UpdateDaemon } from '@hortus/testkit/update-daemon';
import type { Caller } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';

/** A server whose daemon has connected once, and may be offline. */
async function aDaemon(caller: Caller): Promise<UpdateDaemon> {
  const daemon = await UpdateDaemon.connected(caller, fresh('server'));
  await daemon.disconnect();
  return daemon;
}

const order = (...daemons: readonly UpdateDaemon[]) => ({
  servers: daemons.map(({ serverId }) => serverId),
  version: '1.2.3',
  stages: [1, '100%'],
  max_failed: 0,
  offline_minutes: 60,
  allow_downgrade: false,
});

const anUpdate = async (caller: Caller, ...daemons: readonly UpdateDaemon[]): Promise<string> =>
  (await caller.client.call('daemonUpdates.create', { body: order(...daemons) })).data.id;

/** An update whose first daemon refused, so that the second one waits. */
async function aHaltedUpdate(caller: Caller): Promise<string> {
  const [first, second] = [await UpdateDaemon.connected(caller, fresh('server')), await aDaemon(caller)];
  const id = await anUpdate(caller, first, second);
  await first.report('refused', { reason: 'from_source', message: 'The daemon runs from source.' });
  const isHalted = async () =>
    (await caller.client.call('daemonUpdates.read', { params: { id } })).data.status === 'halted';
  await until(isHalted, { describe: 'the halt of the update' });
  await first.disconnect();
  return id;
}

const ofUpdate = async (caller: Caller) => ({ params: { id: await anUpdate(caller, await aDaemon(caller)) } });

export const daemonUpdateRequests = {
  'daemonUpdates.list': async (caller) => {
    await ofUpdate(caller);
    return { query: { status: 'running' } };
  },
  'daemonUpdates.create': async (caller) => ({ body: order(await aDaemon(caller)) }),
  'daemonUpdates.read': ofUpdate,
  'daemonUpdates.continue': async (caller) => ({ params: { id: await aHaltedUpdate(caller) } }),
  'daemonUpdates.cancel': ofUpdate,
} satisfies Partial<GoodRequests>;
