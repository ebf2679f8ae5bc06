import type { Caller } from '../running-service.ts';
import { aDefinition } from './definitions.ts';
import { fresh, type GoodRequests } from './good.ts';
import { aBackup } from './instances.ts';
import { aServer } from './servers.ts';

const ofDefinition = async (caller: Caller) => ({ params: { id: await aDefinition(caller) } });

/** Creates an exported bundle with an unused name. */
const aBundle = async (caller: Caller) => {
  const { data } = await caller.client.call('definitions.export', { ...(await ofDefinition(caller)), body: {} });
  return { ...data.bundle, instance_uid: fresh('brought'), volumes: [{ name: 'uploads', bytes: 1024 }] };
};
const importOrder = async (caller: Caller) => ({
  server_id: await aServer(caller),
  instance_uid: fresh('brought'),
  ignore_capacity: false,
  bundle: await aBundle(caller),
});
const ofImport = async (caller: Caller) => ({
  params: { id: (await caller.client.call('definitions.import', { body: await importOrder(caller) })).data.id },
});

export const importRequests = {
  'backups.fetch': async (caller) => {
    const { id } = await aBackup(caller);
    return { params: { id }, body: { volume: 'uploads' } };
  },
  'definitions.export': async (caller) => ({ ...(await ofDefinition(caller)), body: {} }),
  'definitions.import': async (caller) => ({ body: await importOrder(caller) }),
  'imports.list': async (caller) => {
    await ofImport(caller);
    return { query: { status: 'receiving' } };
  },
  'imports.read': ofImport,
  'imports.fill': async (caller) => ({ ...(await ofImport(caller)), body: { volume: 'uploads' } }),
} satisfies Partial<GoodRequests>;
