import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import type { ActionRequestMessage } from '../actions/dispatch.ts';
import { type FakeLine, openInstanceServices, SMTP_PASSWORD } from './testing/instance-services.ts';

const requests = (line: FakeLine) => line.sent as unknown as ActionRequestMessage[];
const whole = { remove_volumes: true, confirm: ['uploads', 'dbdata'] };

/** A server whose daemon asked for no capability. `next` completes what was sent and answers what is sent then. */
async function openPublishedDaemon(...args: Parameters<typeof openInstanceServices>) {
  const services = await openInstanceServices(...args);
  const { actions, serverId, connect } = services;
  const line = await connect([]);
  async function next(): Promise<ActionRequestMessage[]> {
    const before = line.sent.length;
    await actions.dispatch(serverId, line);
    const sent = requests(line).slice(before);
    for (const { execution_id } of sent) {
      await actions.started(serverId, execution_id);
      await actions.completed(serverId, { execution_id, exit_code: 0 });
    }
    return sent;
  }
  const commands = async () => (await next()).map(({ action }) => action.command.join(' '));
  return { ...services, line, next, commands };
}

onBothEngines((engine) => {
  describe('a daemon that supports only the published messages', () => {
    it('is sent stop, start and restart as built-in orders with the argv of a Docker host, never as exec', async () => {
      const { running, order, next, read } = await openPublishedDaemon(engine);
      const { id, containerName: name } = await running();
      const wanted = [
        ['hortus.stop', ['docker', 'stop', name, `${name}-db`], 'stopped'],
        ['hortus.start', ['docker', 'start', `${name}-db`, name], 'running'],
        ['hortus.restart', ['docker', 'restart', `${name}-db`, name], 'running'],
      ] as const;
      for (const [slug, command, status] of wanted) {
        const { execution } = await order(id, slug);
        expect(await next()).toEqual([
          {
            type: 'action_request',
            execution_id: execution.id,
            instance_id: id,
            container_name: name,
            action: { slug, type: 'builtin', command, timeout: '300s' },
            params: {},
          },
        ]);
        expect(await read(id)).toMatchObject({ status });
      }
    });

    it('is sent the same orders as our own daemon', async () => {
      const { running, order, next, actions, connect, serverId } = await openPublishedDaemon(engine);
      const { id } = await running();
      await order(id, 'hortus.stop');
      const [published] = await next();
      await order(id, 'hortus.stop');
      const ours = await connect();
      await actions.dispatch(serverId, ours);
      expect(requests(ours)[0]).toEqual({ ...published, execution_id: ours.requested[0] });
    });

    it('is asked to stop before it removes the containers of an archived definition, and volumes stay', async () => {
      const { running, storage, definitions, principal, commands, read } = await openPublishedDaemon(engine);
      const { id, definitionId, containerName: name } = await running();
      await storage.write((tx) => definitions.archive(tx, principal, definitionId));
      expect(await commands()).toEqual([`docker stop ${name} ${name}-db`]);
      expect(await commands()).toEqual([`docker rm --force ${name} ${name}-db`]);
      expect(await commands()).toEqual([]);
      expect(await read(id)).toMatchObject({ status: 'released' });
    });

    it('removes the volumes of a released instance after its containers', async () => {
      const { running, release, commands, execution, read } = await openPublishedDaemon(engine);
      const { id, containerName: name } = await running();
      const { execution: last } = await release(id, whole);
      expect(await commands()).toEqual([`docker stop ${name} ${name}-db`]);
      expect(await commands()).toEqual([`docker rm --force ${name} ${name}-db`]);
      expect(await execution(last.id)).toMatchObject({ status: 'pending' });
      expect(await commands()).toEqual([`docker volume rm --force ${name}_dbdata ${name}_uploads`]);
      expect(await execution(last.id)).toMatchObject({ status: 'completed' });
      expect(await read(id)).toMatchObject({ status: 'released' });
    });

    it('keeps its containers when the definition is activated before the release was sent', async () => {
      const { running, storage, definitions, principal, commands, actions } = await openPublishedDaemon(engine);
      const { id, definitionId } = await running();
      await storage.write((tx) => definitions.archive(tx, principal, definitionId));
      await storage.write((tx) => definitions.activate(tx, principal, definitionId));
      expect(await commands()).toEqual([]);
      const history = (await actions.history(principal, { instanceId: id }, {})).data;
      expect(history.map(({ slug, status }) => `${slug} ${status}`)).toEqual([
        'hortus.release cancelled',
        'hortus.stop cancelled',
      ]);
    });

    it('is sent the names and ids of the containers that it synced', async () => {
      const { running, storage, instances, daemon, order, commands, report } = await openPublishedDaemon(engine);
      const { id, definitionId: definition_id } = await running();
      await report([{ definition_id, container_name: 'front', status: 'running' }]);
      const sync = (components: Parameters<typeof instances.syncComponents>[3]) =>
        storage.write((tx) => instances.syncComponents(tx, daemon, id, components));
      await sync([
        { name: 'app', status: 'running', container_id: 'c1' },
        { name: 'db', status: 'running', container_id: 'c2' },
      ]);
      await order(id, 'hortus.stop');
      expect(await commands()).toEqual(['docker stop front c2']);
      const nodes = ['n1', 'n2'];
      const synced = await sync([
        { name: 'db', status: 'running', container_id: 'c2', container_name: 'store', nodes },
      ]);
      expect(synced.components).toMatchObject([{ name: 'db', nodes }]);
      await order(id, 'hortus.start');
      expect(await commands()).toEqual(['docker start store front']);
    });

    it('is sent an action with its environment, to the container that it synced', async () => {
      const { running, storage, instances, daemon, execute, next, report } = await openPublishedDaemon(engine);
      const { id, containerName: name, definitionId: definition_id } = await running();
      const sent = async () => {
        await execute(id, 'greet', { whom: 'Ada' });
        return (await next()).map(({ container_name, action }) => ({ container_name, action }));
      };
      const env = { GREETING: 'Hello Ada', SMTP: SMTP_PASSWORD };
      const action = { slug: 'greet', type: 'exec', command: ['greet'], timeout: expect.any(String), env };
      expect(await sent()).toEqual([{ container_name: `${name}-db`, action }]);
      const sync = (components: Parameters<typeof instances.syncComponents>[3]) =>
        storage.write((tx) => instances.syncComponents(tx, daemon, id, components));
      await sync([{ name: 'db', status: 'running', container_id: 'c2' }]);
      expect(await sent()).toEqual([{ container_name: 'c2', action }]);
      // Ordered before the sync, sent after it.
      await execute(id, 'db-dump');
      await sync([{ name: 'db', status: 'running', container_id: 'c2', container_name: 'store' }]);
      expect((await next()).map(({ container_name }) => container_name)).toEqual(['store']);
      // The name of the primary component is that of the instance.
      await report([{ definition_id, container_name: 'front', status: 'running' }]);
      await execute(id, 'wipe');
      expect((await next()).map(({ container_name }) => container_name)).toEqual(['front']);
    });

    it('is not sent http and job actions, which fail by name', async () => {
      const { running, execute, next, execution } = await openPublishedDaemon(engine);
      const { id } = await running();
      const [ping, rebuild, greet] = [
        await execute(id, 'ping'),
        await execute(id, 'rebuild'),
        await execute(id, 'greet'),
      ];
      expect((await next()).map(({ action }) => action.slug)).toEqual(['greet']);
      expect((await execution(greet.id)).status).toBe('completed');
      for (const [{ id }, what] of [
        [ping, 'Ping, an action of type http,'],
        [rebuild, 'Rebuild, an action of type job,'],
      ] as const)
        expect(await execution(id)).toMatchObject({
          status: 'failed',
          started_at: null,
          error: `${what} needs the daemon hortusd; the daemon of this server supports only the published messages.`,
        });
    });

    it('is not sent what needs hortusd, and the error says so', async () => {
      const { running, backups, storage, principal, next, execution } = await openPublishedDaemon(engine);
      const { id } = await running();
      const ordered = await storage.write((tx) => backups.create(tx, principal, id));
      expect(await next()).toEqual([]);
      expect(await execution(ordered.execution.id)).toMatchObject({
        status: 'failed',
        error: 'Back up needs the daemon hortusd; the daemon of this server supports only the published messages.',
      });
    });
  });
});
