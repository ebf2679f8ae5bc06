import { instanceOn, logDaemonOf } from '../log-daemon.ts';
import type { Caller } from '../running-service.ts';
import { shellDaemonOf } from '../shell-daemon.ts';
import { draftText, withoutTestServers } from './catalog.ts';
import { aDefinition } from './definitions.ts';
import { fresh, type GoodRequests, nextNumber } from './good.ts';
import { aServer } from './servers.ts';

/** Creates a deployed, running instance. */
const anInstance = async (caller: Caller) => {
  const body = { definition_id: await aDefinition(caller) };
  const { id } = (await caller.client.call('deployments.execute', { body })).data;
  await caller.client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  const [instance] = (await caller.client.call('instances.list', { query: body })).data;
  return instance?.id ?? '';
};

const openShell = async (caller: Caller) => {
  const id = await instanceOn(caller, (await shellDaemonOf(caller)).serverId);
  return (await caller.client.call('shells.open', { params: { id }, body: {} })).data;
};

const shells = new WeakMap<Caller, ReturnType<typeof openShell>>();

/** Returns a shell that no client connects to: always the same one, because an account may have few of them at a time. */
const aShell = (caller: Caller) => {
  const shell = shells.get(caller) ?? openShell(caller);
  shells.set(caller, shell);
  return shell;
};

const ofInstance = async (caller: Caller) => ({ params: { id: await anInstance(caller) } });

const anExecution = async (caller: Caller) => {
  const params = { id: await anInstance(caller), slug: 'db-dump' };
  return (await caller.client.call('actions.execute', { params, body: {} })).execution.id;
};

const ofExecution = async (caller: Caller) => ({ params: { execution_id: await anExecution(caller) } });

/** Creates a completed backup, as reported by its daemon. */
export const aBackup = async (caller: Caller) => {
  const { client } = caller;
  const { execution, backup } = await client.call('backups.create', { params: { id: await anInstance(caller) } });
  await caller.handOver(execution.id);
  const body = { status: 'completed' as const, result: keptBy(backup) };
  await client.call('actions.report', { params: { execution_id: execution.id }, body });
  return backup;
};

/** Report of a daemon about a completed backup. */
const keptBy = ({ id, instance_uid, definition_id }: { id: string; instance_uid: string; definition_id: string }) => ({
  manifest_sha256: '1'.repeat(64),
  address: '/var/lib/hortusd/backups',
  manifest: {
    format: 1,
    backup_id: id,
    instance_uid,
    definition_id,
    species: 'inkwell',
    template_version: '1.2.0',
    spec_hash: `sha256:${'0'.repeat(64)}`,
    revision: 1,
    images: [],
    taken_at: '2026-01-02T03:04:05Z',
    stopped_ms: 12,
    parts: [
      {
        kind: 'volume',
        name: 'uploads',
        file: 'volume-uploads.part',
        entries: 3,
        bytes: 4096,
        stored_bytes: 512,
        chunks: 1,
        sha256: '0'.repeat(64),
      },
    ],
  },
});

const ofBackup = async (caller: Caller) => ({ params: { id: (await aBackup(caller)).id } });

/** Creates an upgrade of an instance that runs the older of two versions of a private template. */
const anUpgrade = async (caller: Caller) => {
  const { client } = caller;
  await withoutTestServers(caller);
  const source = draftText();
  const slug = /slug: (\S+)/.exec(source)?.[1] ?? '';
  const publish = async (version: string) => {
    const body = { source: source.replace('version: 1.0.0', `version: ${version}`) };
    const params = { id: (await client.call('drafts.create', { body })).data.id };
    await client.call('drafts.validate', { params });
    await client.call('drafts.promote', { params });
  };
  await publish('1.0.0');
  const body = { species: slug, instance_uid: fresh('old'), server_id: await aServer(caller), inputs: {} };
  const definition_id = (await client.call('definitions.create', { body })).data.id;
  const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
  await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  await publish('1.1.0');
  await client.call('upgrades.scan', { body: {} });
  return (await client.call('upgrades.list', { query: { definition_id } })).data[0]?.id ?? '';
};

const aClone = async (caller: Caller): Promise<string> => {
  const { instance_id: id } = await aBackup(caller);
  return (await caller.client.call('rehearsals.clone', { params: { id }, body: {} })).data.id;
};

export const instanceRequests = {
  'instances.list': async (caller) => {
    await anInstance(caller);
    return { query: { status: 'running', sort: '-name' } };
  },
  'instances.stats': () => ({}),
  'overview.instance': ofInstance,
  'instances.read': ofInstance,
  'instances.report': async (caller) => ({
    body: { instances: [{ definition_id: await aDefinition(caller), status: 'running', health: 'healthy' }] },
  }),
  'instances.syncComponents': async (caller) => ({
    body: { instance_id: await anInstance(caller), components: [{ name: 'app', status: 'running' }] },
  }),
  'instances.drift': async (caller) => ({
    ...(await ofInstance(caller)),
    body: { drift: [{ field: 'restart', declared: 'always', actual: 'no', component: 'app' }] },
  }),
  'shells.open': async (caller) => ({
    params: { id: await instanceOn(caller, (await shellDaemonOf(caller)).serverId) },
    body: { component: 'app', command: ['ls', '-l'], terminal: false, cols: 100, rows: 30, term: 'xterm' },
  }),
  'shells.list': async (caller) => ({ params: { id: (await aShell(caller)).instance_id } }),
  'shells.read': async (caller) => ({ params: { id: (await aShell(caller)).id } }),
  'shells.recording': async (caller) => ({ params: { id: (await aShell(caller)).id }, query: { after: 0 } }),
  'logs.instance': async (caller) => {
    const { serverId, daemon } = await logDaemonOf(caller);
    daemon.write('started', 'ready');
    return {
      params: { id: await instanceOn(caller, serverId) },
      query: { component: 'app', since: '2025-01-01T00:00:00Z', tail: 100, q: 'ready', before: '9000' },
    };
  },
  'metrics.instance': async (caller) => ({ ...(await ofInstance(caller)), query: { range: '7d', component: 'app' } }),
  'instances.release': async (caller) => ({
    ...(await ofInstance(caller)),
    body: { remove_volumes: true, confirm: ['uploads', 'dbdata'] },
  }),
  'actions.all': async (caller) => {
    await anExecution(caller);
    return { query: { status: 'pending', slug: 'db-dump' } };
  },
  'actions.list': ofInstance,
  'actions.execute': async (caller) => ({
    params: { id: await anInstance(caller), slug: 'db-dump' },
    body: { params: { schema_only: true } },
  }),
  'actions.read': ofExecution,
  'actions.report': async (caller) => ({
    ...(await ofExecution(caller)),
    body: { status: 'failed', exit_code: 1, output: 'no space', output_truncated: false, error: 'It failed' },
  }),
  'actions.reportScheduled': async (caller) => {
    const params = { id: await anInstance(caller) };
    const { definition_id } = (await caller.client.call('instances.read', { params })).data;
    const execution_id = `exe_${String(nextNumber()).padStart(26, '0')}`;
    const times = { due_at: '2026-01-02T03:00:00Z', started_at: '2026-01-02T03:00:01Z' };
    return {
      body: {
        execution_id,
        definition_id,
        component: 'tidy',
        status: 'completed',
        exit_code: 0,
        output: 'done',
        ...times,
      },
    };
  },
  'actions.history': async (caller) => {
    const { instance_id } = (await caller.client.call('actions.read', await ofExecution(caller))).execution;
    return { params: { id: instance_id ?? '' }, query: { status: 'pending' } };
  },
  'backups.list': async (caller) => {
    await aBackup(caller);
    return { query: { kind: 'manual' } };
  },
  'backups.read': ofBackup,
  'backups.planRestore': async (caller) => ({ ...(await ofBackup(caller)), query: { into: 'empty' } }),
  'backups.create': async (caller) => ({ ...(await ofInstance(caller)), body: { extent: 'declared' } }),
  'backups.restore': async (caller) => {
    const { id, instance_uid } = await aBackup(caller);
    return { params: { id }, body: { confirm: instance_uid } };
  },
  'upgrades.list': () => ({}),
  'upgrades.read': async (caller) => ({ params: { id: await anUpgrade(caller) } }),
  'upgrades.apply': async (caller) => ({ params: { id: await anUpgrade(caller) }, body: {} }),
  'upgrades.rehearse': async (caller) => ({ params: { id: await anUpgrade(caller) }, body: {} }),
  'rehearsals.list': () => ({ query: { kind: 'clone' } }),
  'rehearsals.read': async (caller) => ({ params: { id: await aClone(caller) } }),
  'rehearsals.clone': async (caller) => ({ params: { id: (await aBackup(caller)).instance_id }, body: { minutes: 5 } }),
  'rehearsals.remove': async (caller) => ({ params: { id: await aClone(caller) } }),
  'upgrades.applyAll': async (caller) => ({ body: { upgrade_ids: [await anUpgrade(caller)] } }),
  'upgrades.scan': async (caller) => ({ body: { instance_id: await anInstance(caller) } }),
  'upgrades.acknowledge': async (caller) => ({ params: { id: await anUpgrade(caller) } }),
} satisfies Partial<GoodRequests>;
