import type { RuleKind } from '@hortus/contract/resources/notifications';
import { startReceiver } from '@hortus/testkit/receiver';
import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { updateState } from '../../../storage/status-columns.ts';
import { DaemonSocket } from '../../../testing/daemon-socket.ts';
import { onBothEngines } from '../../../testing/engines.ts';
import { type RunningService, startApp } from '../../../testing/running-service.ts';
import { VersionedTemplate, withBackup } from '../../upgrades/testing/versioned-template.ts';
import { WATCH, WATCH_SLOWLY } from '../jobs.ts';
import type { Sent } from '../testing/alert-receiver.ts';

const MINUTE = 60_000;

/** Everything through the API of a running service: reports of a daemon raise alerts and end them. */
onBothEngines((engine) => {
  let installation: RunningService;
  beforeAll(async () => {
    // Tests wait for several runs of the watch job.
    installation = await startApp(engine, { alertWatchSeconds: 0.2 });
  });

  async function openWatchedService() {
    const receiver = await startReceiver();
    engine.afterwards(() => receiver.stop());
    const service = await installation.inNewAccount();
    const { client, database } = service;
    const template = new VersionedTemplate(service);
    await client.call('notifications.createChannel', { body: { type: 'url', name: 'team', url: receiver.url } });
    const open = async (kind: RuleKind) =>
      (await client.call('notifications.alerts', { query: { status: 'open' } })).data.filter(
        (item) => item.kind === kind,
      );
    const runAt = async (kind: string) =>
      (await database.db.selectFrom('jobs').select('run_at').where('kind', '=', kind).executeTakeFirst())?.run_at;
    return {
      ...service,
      template,
      open,
      opened: (kind: RuleKind) => until(async () => (await open(kind))[0], { describe: `an alert of ${kind}` }),
      /** Waits until the conditions were evaluated twice: the first run may have begun before the change. */
      async watched() {
        for (let run = 0; run < 2; run++) {
          const before = await runAt(WATCH);
          await until(async () => (await runAt(WATCH)) !== before, { describe: 'a run of the watch job' });
        }
      },
      /** The next run of the other job finds it due. */
      async watchedSlowly() {
        await database.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', WATCH_SLOWLY).execute();
        await until(async () => Number(await runAt(WATCH_SLOWLY)) > Date.now() + 5 * MINUTE, {
          describe: 'a run of the slow watch job',
        });
      },
      /** Makes pending alerts as old as any rule demands. */
      async grownOld() {
        const pending = () => client.call('notifications.alerts', { query: { status: 'pending' } });
        await until(async () => (await pending()).data.length > 0, { describe: 'a pending alert' });
        const since = Date.now() - 60 * MINUTE;
        await database.db
          .updateTable('alerts')
          .set({ since })
          .where('account_id', '=', service.accountId)
          .where('status', '=', 'pending')
          .execute();
      },
      sent: (title: string) =>
        until(() => receiver.requests.map(({ json }) => json as Sent).find((sent) => sent.title === title), {
          describe: `the message ${title}`,
        }),
    };
  }

  it('an instance that its daemon reports as unhealthy is reported, and its recovery too', async () => {
    const { template, request, open, opened, grownOld, sent, watched } = await openWatchedService();
    await template.publish('2.0.0');
    const { definitionId: definition_id, instanceId, serverKey } = await template.deploy();
    const report = (health: 'healthy' | 'unhealthy') =>
      request('POST', '/instances/report', {
        key: serverKey,
        body: { instances: [{ definition_id, status: 'running', health }] },
      });
    await report('healthy');
    await watched();
    expect(await open('instance_unhealthy')).toEqual([]);
    await report('unhealthy');
    await grownOld();
    expect(await opened('instance_unhealthy')).toMatchObject({ fix: `hortus instances show ${instanceId}` });
    expect((await sent('Alert: Instance blog-1 is unhealthy')).text).toContain('http://hortus.test');
    await report('healthy');
    expect(await sent('Resolved: Instance blog-1 is unhealthy')).toMatchObject({ status: 'resolved' });
  });

  it('restarts by the engine are a loop from the fifth on; a restart that a user orders does not count', async () => {
    const { template, request, client, handOver, open, opened, sent, database, watched } = await openWatchedService();
    await template.publish('2.0.0');
    const { definitionId: definition_id, instanceId, serverKey } = await template.deploy();
    const begun = Date.now();
    const report = (second: number, container_id = 'c1') =>
      request('POST', '/instances/report', {
        key: serverKey,
        body: { instances: [{ definition_id, status: 'running', container_id, started_at: begun + second * 1_000 }] },
      });
    await report(0);
    for (const second of [1, 2, 3, 4]) await report(second);
    // Neither the same start again, nor a new container, nor an ordered restart is a restart by the engine.
    await report(4);
    await report(5, 'c2');
    const { execution } = await client.call('instances.restart', { params: { id: instanceId } });
    await handOver(execution.id);
    await client.call('actions.report', { params: { execution_id: execution.id }, body: { status: 'completed' } });
    await watched();
    expect(await open('restart_loop')).toEqual([]);
    const { started_at } = (await client.call('instances.read', { params: { id: instanceId } })).data;
    await request('POST', '/instances/report', {
      key: serverKey,
      body: {
        instances: [
          { definition_id, status: 'running', container_id: 'c2', started_at: Date.parse(started_at ?? '') + 60_000 },
        ],
      },
    });
    expect(await opened('restart_loop')).toMatchObject({ text: 'It restarted 5 times within 15 minutes.' });
    await sent('Alert: Instance blog-1 restarts in a loop');
    const long = JSON.stringify(Array.from({ length: 5 }, () => Date.now() - 16 * MINUTE));
    await database.db.updateTable('instances').set({ starts: long }).where('id', '=', instanceId).execute();
    await sent('Resolved: Instance blog-1 restarts in a loop');
  });

  it('reports of a server with too little memory are reported by its rule, until they are better', async () => {
    const { client, open, grownOld, opened, sent, watched } = await openWatchedService();
    await client.call('notifications.createRule', {
      body: { name: 'memory', kind: 'memory_above', percent: 80, minutes: 10 },
    });
    const { data: machine } = await client.call('servers.register', {
      body: { name: 'web-1', environment: 'staging' },
    });
    const report = (used: number) =>
      client.call('capacity.report', {
        params: { server_id: machine.id },
        body: {
          memory: { used: used * 1_000, free: (100 - used) * 1_000 },
          cpu: { cores: 1, used_percent: 0 },
          disk: { used: 1_000, free: 1_000 },
        },
      });
    await report(79);
    await watched();
    expect(await open('memory_above')).toEqual([]);
    await report(91);
    await grownOld();
    expect(await opened('memory_above')).toMatchObject({ title: 'The memory of server web-1 is 91 % full' });
    await report(20);
    await sent('Resolved: The memory of server web-1 is 91 % full');
  });

  it('a server whose daemon is gone for the minutes of the rule is reported, until the daemon is back', async () => {
    const { client, base, open, opened, sent, database, watched } = await openWatchedService();
    const { data: machine } = await client.call('servers.register', {
      body: { name: 'web-1', environment: 'staging' },
    });
    const connect = () =>
      new DaemonSocket(`${base.replace('http', 'ws')}/ws/server`, { auth: { api_key: machine.api_key } });
    const connected = (wanted: boolean) =>
      until(async () => (await client.call('servers.read', { params: { id: machine.id } })).data.connected === wanted, {
        describe: wanted ? 'the connection' : 'the end of the connection',
      });
    const daemon = connect();
    await connected(true);
    daemon.socket.terminate();
    await connected(false);
    await watched();
    expect(await open('server_offline')).toEqual([]);
    await database.db
      .updateTable('servers')
      .set((eb) => ({ last_seen_at: eb('last_seen_at', '-', 3 * MINUTE) }))
      .where('id', '=', machine.id)
      .execute();
    expect(await opened('server_offline')).toMatchObject({ title: 'Server web-1 is offline' });
    await sent('Alert: Server web-1 is offline');
    const again = connect();
    await sent('Resolved: Server web-1 is offline');
    again.socket.terminate();
  });

  it('a backup that the daemon could not make is reported, until one succeeds', async () => {
    const { client, template, open, opened, sent } = await openWatchedService();
    await template.publish('2.0.0', withBackup);
    const { instanceId } = await template.deploy();
    const order = () => client.call('backups.create', { params: { id: instanceId }, body: {} });
    await order();
    await template.settle(instanceId, 'hortus.backup', { error: 'The disk is full.' });
    expect(await opened('backup_failed')).toMatchObject({
      text: 'The disk is full.',
      fix: `hortus backups create ${instanceId}`,
    });
    await sent('Alert: A backup of blog-1 has failed');
    await order();
    await template.settle(instanceId, 'hortus.backup', { revision: 1 });
    await sent('Resolved: A backup of blog-1 has failed');
    expect(await open('backup_failed')).toEqual([]);
  });

  describe('an available upgrade', () => {
    it('is reported once a rule asks for it, and a newer version replaces it', async () => {
      const { client, template, open, opened, sent, watchedSlowly } = await openWatchedService();
      await template.publish('2.0.0');
      const { instanceId } = await template.deploy();
      await template.publish('2.1.0');
      const first = await template.upgradeOf(instanceId);
      await watchedSlowly();
      expect(await open('upgrade_available')).toEqual([]);
      await client.call('notifications.createRule', { body: { name: 'upgrades', kind: 'upgrade_available' } });
      await watchedSlowly();
      expect(await opened('upgrade_available')).toMatchObject({
        title: 'An upgrade of blog-1 is available',
        text: 'Template inkwell.',
        fix: `hortus upgrades apply ${first}`,
      });
      await sent('Alert: An upgrade of blog-1 is available');
      await template.publish('2.2.0');
      const second = await until(
        async () => {
          const id = await template.upgradeOf(instanceId);
          return id !== first && id;
        },
        { describe: 'the newer upgrade' },
      );
      await watchedSlowly();
      expect((await open('upgrade_available')).map(({ fix }) => fix)).toEqual([`hortus upgrades apply ${second}`]);
      await client.call('upgrades.acknowledge', { params: { id: second } });
      await watchedSlowly();
      expect(await open('upgrade_available')).toEqual([]);
      await sent('Resolved: An upgrade of blog-1 is available');
    });

    it('that is applied, or whose instance is released, is over', async () => {
      const { client, template, open, watchedSlowly, database } = await openWatchedService();
      await client.call('notifications.createRule', { body: { name: 'upgrades', kind: 'upgrade_available' } });
      await template.publish('2.0.0');
      const [applied, released] = [await template.deploy(), await template.deploy()];
      await template.publish('2.1.0');
      const [upgrade] = [await template.upgradeOf(applied.instanceId), await template.upgradeOf(released.instanceId)];
      await watchedSlowly();
      expect(await open('upgrade_available')).toHaveLength(2);
      expect((await template.apply(upgrade)).status).toBe(202);
      await watchedSlowly();
      expect((await open('upgrade_available')).map(({ resource_id }) => resource_id)).toEqual([released.instanceId]);
      const { id, status: from } = (await client.call('instances.read', { params: { id: released.instanceId } })).data;
      await updateState(database, 'instances', { id, column: 'status', from, columns: { status: 'released' } });
      await watchedSlowly();
      expect(await open('upgrade_available')).toEqual([]);
    });
  });
});
