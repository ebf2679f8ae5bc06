import { until } from '@hortus/testkit/until';
import type { Caller } from '../running-service.ts';
import { aDefinition } from './definitions.ts';
import { fresh, type GoodRequests } from './good.ts';
import { aServer } from './servers.ts';

const aTenant = async (caller: Caller) => {
  const body = { name: fresh('Nursery'), server_id: await aServer(caller) };
  return (await caller.client.call('tenants.create', { body })).data.id;
};

const ofTenant = async (caller: Caller) => ({ params: { id: await aTenant(caller) } });

/** Creates a transfer of a running definition that is being migrated. */
const aTransfer = async (caller: Caller) => {
  const { client } = caller;
  const definition_id = await aDefinition(caller);
  const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
  await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  const { data } = await client.call('definitions.migrate', {
    params: { id: definition_id },
    body: { server_id: await aServer(caller) },
  });
  const params = { id: data.migration?.id ?? '' };
  const found = async () => (await client.call('migrations.read', { params })).data.transfers[0];
  return await until(found, { describe: 'the first copy to be ordered' });
};

export const moveRequests = {
  'tenants.list': async (caller) => {
    await aTenant(caller);
    return { query: { status: 'pending' } };
  },
  'tenants.create': async (caller) => {
    const slug = fresh('nursery');
    return { body: { name: 'Rose Nursery', server_id: await aServer(caller), slug } };
  },
  'tenants.read': ofTenant,
  'tenants.resume': async (caller) => {
    const suspended = await ofTenant(caller);
    await caller.client.call('tenants.suspend', suspended);
    return suspended;
  },
  'tenants.delete': async (caller) => ({ ...(await ofTenant(caller)), query: { force: true } }),
  'tenants.migrate': async (caller) => {
    const moved = await ofTenant(caller);
    await caller.client.call('tenants.activate', moved);
    return { ...moved, body: { server_id: await aServer(caller), dry_run: false, ignore_capacity: false } };
  },
  'migrations.list': async (caller) => {
    await aTransfer(caller);
    return { query: { status: 'copying' } };
  },
  'migrations.read': async (caller) => ({ params: { id: (await aTransfer(caller)).migration_id ?? '' } }),
  'migrations.cancel': async (caller) => ({ params: { id: (await aTransfer(caller)).migration_id ?? '' } }),
  'transfers.pending': async (caller) => {
    await aTransfer(caller);
    return {};
  },
  'transfers.report': async (caller) => ({
    params: { id: (await aTransfer(caller)).id },
    body: { status: 'running', chunks: 1, bytes: 1024, carried_bytes: 1024 },
  }),
} satisfies Partial<GoodRequests>;
