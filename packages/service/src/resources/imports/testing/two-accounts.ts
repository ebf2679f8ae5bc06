import { Readable } from 'node:stream';
import { type Client, createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { Incoming } from '@hortus/client/transfer/incoming';
import { Link } from '@hortus/client/transfer/link';
import { Reading, send } from '@hortus/client/transfer/sender';
import type { Bundle, Import } from '@hortus/contract/resources/imports';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import type { Caller, RunningService } from '../../../testing/running-service.ts';

/** An account with one server; the test plays its daemon. */
export interface AccountWithServer {
  readonly caller: Caller;
  readonly client: Client;
  readonly serverId: string;
  readonly serverKey: string;
  /** Authenticated as the daemon of the server. */
  readonly daemon: Client;
}

/** Receives the whole content of a transfer. */
export async function received(base: string, key: string, transferId: string): Promise<Buffer> {
  const link = await Link.open(base, key, transferId, new AbortController().signal);
  try {
    return Buffer.concat(await Array.fromAsync(new Incoming().over(link)));
  } finally {
    link.close();
  }
}

export async function sent(base: string, key: string, transferId: string, content: Buffer): Promise<void> {
  const link = await Link.open(base, key, transferId, new AbortController().signal);
  try {
    await send(link, { reading: undefined, open: async (key) => new Reading(Readable.from([content]), key) });
  } finally {
    link.close();
  }
}

export const refusal = (of: Promise<unknown>) =>
  of.then(
    () => expect.fail('the request was not refused'),
    (error: unknown) => {
      if (!(error instanceof ApiProblem)) throw error;
      const { reason, field } = (error.details ?? {}) as Record<string, unknown>;
      return { status: error.status, reason, field, message: error.message };
    },
  );

/** Opens two new accounts that share nothing but the service, like two installations. */
export async function openTwoAccounts(installation: RunningService) {
  const service = await installation.inNewAccount();
  const open = async (caller: Caller): Promise<AccountWithServer> => {
    const { data } = await caller.client.call('servers.register', {
      body: { name: 'server-1', environment: 'staging' },
    });
    const daemon = createClient({ baseUrl: service.base, key: data.api_key, retries: { attempts: 1 } });
    return { caller, client: caller.client, serverId: data.id, serverKey: data.api_key, daemon };
  };
  const [here, there] = [await open(service), await open(await service.addAccount())];

  const define = async (uid = 'blog') => {
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, SMTP_PASSWORD: 'hunter2hunter2' };
    const body = { species: 'inkwell', instance_uid: uid, name: 'Our blog', server_id: here.serverId, inputs };
    return (await here.client.call('definitions.create', { body })).data.id;
  };
  /** Deploys a definition and backs it up with these volumes. */
  const kept = async (definition_id: string, parts: readonly { kind: 'volume' | 'dump'; name: string }[]) => {
    const { client, caller } = here;
    const [before] = (await client.call('instances.list', { query: { definition_id } })).data;
    if (!before) {
      const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
      await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
    }
    const [instance] = (await client.call('instances.list', { query: { definition_id } })).data;
    const order = { params: { id: instance?.id ?? '' }, body: { extent: 'volumes' as const } };
    const { execution, backup } = await client.call('backups.create', order);
    await caller.handOver(execution.id);
    const manifest = {
      format: 1,
      backup_id: backup.id,
      instance_uid: backup.instance_uid,
      definition_id,
      species: 'inkwell',
      template_version: '1.2.0',
      spec_hash: `sha256:${'0'.repeat(64)}`,
      revision: 1,
      images: [],
      taken_at: '2026-01-02T03:04:05Z',
      stopped_ms: 12,
      parts: parts.map(({ kind, name }) => {
        const size = { entries: 1, bytes: 4096, stored_bytes: 512, chunks: 1 };
        return { kind, name, file: `${kind}-${name}.part`, ...size, sha256: '0'.repeat(64) };
      }),
    };
    const result = { manifest, manifest_sha256: '1'.repeat(64), address: '/var/lib/hortusd/backups' };
    const params = { execution_id: execution.id };
    await client.call('actions.report', { params, body: { status: 'completed', result } });
    return { id: backup.id, params: execution.params };
  };
  const take = async (id: string, backup_id?: string) =>
    (await here.client.call('definitions.export', { params: { id }, body: backup_id ? { backup_id } : {} })).data;
  const bring = async (bundle: Bundle, more: { instance_uid?: string } = {}) =>
    (await there.client.call('definitions.import', { body: { server_id: there.serverId, bundle, ...more } })).data;
  const becomes = async (id: string, status: Import['status']): Promise<Import> => {
    let last: Import | undefined;
    const poll = async () => {
      last = (await there.client.call('imports.read', { params: { id } })).data;
      return last.status === status && last;
    };
    return await until(poll, { describe: () => `it to be ${status}; it is ${JSON.stringify(last, null, 1)}` });
  };
  /** Transfers offered to the daemon of the second account. */
  const orders = async () => (await there.daemon.call('transfers.pending', { query: {} })).data;
  return { service, here, there, define, kept, take, bring, becomes, orders };
}
