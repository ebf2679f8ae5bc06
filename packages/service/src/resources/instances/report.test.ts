import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { tableContents } from '../../testing/table-contents.ts';
import { openInstanceServices } from './testing/instance-services.ts';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

onBothEngines((engine) => {
  describe('a report of instances', () => {
    it('finds an instance by id, definition, uid and container', async () => {
      const { report, running, read } = await openInstanceServices(engine);
      const [item, two, three, four] = [await running(), await running(), await running(), await running()];
      const uid = (await read(two.id)).instance_uid;
      const facts = { status: 'running', health: 'unhealthy' } as const;
      const outcome = await report([
        { ...facts, id: four.id },
        { ...facts, definition_id: item.definitionId },
        { ...facts, instance_uid: uid },
        { ...facts, container_name: three.containerName },
        { ...facts, container_name: 'other-container' },
        { ...facts, definition_id: 'def_unknown' },
        { ...facts },
        { ...facts, id: 'ins_unknown' },
      ]);
      expect(outcome).toMatchObject({ accepted: 4, unknown: ['other-container', 'def_unknown', '', 'ins_unknown'] });
      for (const { id } of [item, two, three, four]) expect((await read(id)).health).toBe('unhealthy');
    });

    it('says what it did not recognise: entries by position, and fields that no instance has', async () => {
      const { report, running, read } = await openInstanceServices(engine);
      const record = await read((await running()).id);
      const foreign = { ...record, status: 'stopped', exit_code: 137 } as unknown as Parameters<
        typeof report
      >[0][number];
      const { accepted, unrecognised } = await report([
        foreign,
        { status: 'running', container_name: 'other' },
        { status: 'running' },
      ]);
      expect(accepted).toBe(1);
      expect(unrecognised).toEqual([
        { entry: 0, field: 'exit_code', message: 'is no field of a reported instance and was ignored.' },
        { entry: 1, field: 'container_name', message: expect.stringMatching(/ container_name other\.$/) },
        { entry: 2, field: 'id', message: expect.stringMatching(/^names no instance; give one of id, /) },
      ]);
      expect((await read(record.id)).status).toBe('stopped');
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field_${at}`, 1]));
      expect((await report([{ id: record.id, status: 'running', ...many }])).unrecognised).toHaveLength(100);
    });

    it('of a daemon covers its own server only, of a user the whole account', async () => {
      const { report, running, read, addServer, principal } = await openInstanceServices(engine);
      const other = await running(await addServer());
      const said = [{ definition_id: other.definitionId, status: 'stopped' as const }];
      expect(await report(said)).toMatchObject({ accepted: 0, unknown: [other.definitionId] });
      expect((await read(other.id)).status).toBe('running');
      expect(await report(said, principal)).toEqual({ accepted: 1, unknown: [], unrecognised: [] });
      expect((await read(other.id)).status).toBe('stopped');
      const outsider = { ...principal, accountId: 'acc_other' };
      expect(await report(said, outsider)).toMatchObject({ accepted: 0, unknown: [other.definitionId] });
    });

    it('changes status and health, with one event each', async () => {
      const { report, running, read, events } = await openInstanceServices(engine);
      const { id, definitionId: definition_id } = await running();
      const say = (status: 'running' | 'stopped' | 'failed' | 'restarting', health?: 'healthy' | 'unhealthy') =>
        report([{ definition_id, status, ...(health && { health }) }]);
      await say('running', 'unhealthy');
      await say('running', 'unhealthy');
      await say('running', 'healthy');
      await say('stopped');
      expect(await read(id)).toMatchObject({ status: 'stopped', health: 'unknown', uptime_seconds: 0 });
      await say('stopped');
      await say('restarting');
      await say('running', 'healthy');
      await say('failed');
      expect(types(await events(id))).toEqual([
        'instance.started',
        'instance.unhealthy',
        'instance.stopped',
        'instance.started',
      ]);
    });

    it('without news writes only the time of the report, now and then', async () => {
      const { report, running, storage, clock, row } = await openInstanceServices(engine);
      const { id, definitionId: definition_id } = await running();
      const said = [{ definition_id, status: 'running', health: 'healthy', container_id: `c-${id}` }] as const;
      await report(said);
      const before = await tableContents(storage.reader);
      clock.now += 30_000;
      await report(said);
      expect(await tableContents(storage.reader)).toEqual(before);
      clock.now += 30_000;
      await report(said);
      expect(await row(id)).toMatchObject({ last_reported_at: clock.now });
      expect({ ...(await tableContents(storage.reader)), instances: [] }).toEqual({ ...before, instances: [] });
    });

    it('brings back a lost instance, and never a released one', async () => {
      const { report, running, read, disconnect, connect, storage, instances, serverId, events } =
        await openInstanceServices(engine);
      const [item, gone, stopped] = [await running(), await running(), await running()];
      await report([{ definition_id: stopped.definitionId, status: 'stopped' }]);
      await storage.write((tx) => instances.settled(tx, gone.id, 'hortus.release', null));
      await disconnect();
      expect(await read(item.id)).toMatchObject({ status: 'lost', health: 'unknown', uptime_seconds: 0 });
      expect((await read(stopped.id)).status).toBe('stopped');
      await connect();
      await storage.write((tx) => instances.regain(tx, serverId, { reports: true }));
      expect(await read(item.id)).toMatchObject({ status: 'lost', health: 'unknown' });
      const said = [item, gone].map(({ definitionId }) => ({
        definition_id: definitionId,
        status: 'running' as const,
      }));
      expect(await report(said)).toMatchObject({ accepted: 1, unknown: [gone.definitionId] });
      expect((await read(item.id)).status).toBe('running');
      expect((await read(gone.id)).status).toBe('released');
      expect(types(await events(item.id))).toEqual(['instance.started', 'instance.started']);
      expect(types(await events(gone.id))).toEqual(['instance.started', 'instance.stopped']);
    });

    it('is not needed to bring back the instances of a daemon that never reports them', async () => {
      const { running, read, disconnect, connect, storage, instances, serverId, report } =
        await openInstanceServices(engine);
      const [item, stopped] = [await running(), await running()];
      await report([{ definition_id: stopped.definitionId, status: 'stopped' }]);
      await disconnect();
      expect((await read(item.id)).status).toBe('lost');
      await connect([]);
      await storage.write((tx) => instances.regain(tx, serverId, { reports: false }));
      expect(await read(item.id)).toMatchObject({ status: 'running', health: 'unknown' });
      expect((await read(stopped.id)).status).toBe('stopped');
    });

    it('accepts times in both forms, and ignores invalid ones', async () => {
      const { report, running, read, clock } = await openInstanceServices(engine);
      const { id, definitionId: definition_id } = await running();
      const say = (started_at: string | number | null) => report([{ definition_id, status: 'running', started_at }]);
      await say(clock.now - 5_000);
      expect((await read(id)).uptime_seconds).toBe(5);
      await say(new Date(clock.now - 9_000).toISOString());
      expect((await read(id)).uptime_seconds).toBe(9);
      for (const none of [null, -1, 1e18]) await say(none);
      expect((await read(id)).uptime_seconds).toBe(9);
      await say(clock.now + 60_000);
      expect((await read(id)).uptime_seconds).toBe(0);
    });

    it('changes an instance once if reported concurrently', async () => {
      const { report, running, events } = await openInstanceServices(engine);
      const { id, definitionId: definition_id } = await running();
      await Promise.all(Array.from({ length: 6 }, () => report([{ definition_id, status: 'stopped' }])));
      expect(types(await events(id))).toEqual(['instance.started', 'instance.stopped']);
    });
  });
});
