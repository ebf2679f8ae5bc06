import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onDifferingEngines, type TestDatabase } from '../../../testing/engines.ts';
import { QuietLog } from '../../../testing/quiet-log.ts';
import { insertServer, openReplica } from '../testing/replica.ts';
import { Replicas } from './replicas.ts';
import { RollCall } from './roll-call.ts';

onDifferingEngines('notices between replicas', (engine) => {
  // SQLite belongs to one process.
  if (engine.name === 'sqlite') return void it('SQLite has a single process', () => {});

  const two = async (...[options]: [Parameters<typeof openReplica>[2]?]) => {
    const testDatabase = await engine.testDatabase();
    return [
      await openReplica(engine, testDatabase, options),
      await openReplica(engine, testDatabase, options),
    ] as const;
  };

  it('a second daemon at another replica replaces the first', async () => {
    const [here, there] = await two();
    const { id, key } = await insertServer(here);
    const first = here.daemon(key);
    await here.becomes(id, { connection_epoch: 1, connected_replica: here.name });
    const second = there.daemon(key);
    expect(await first.closed).toBe(4409);
    await until(async () => (await here.server(id)).duplicate_at, { describe: 'the duplicate to be seen' });
    expect(await here.server(id)).toMatchObject({
      status: 'online',
      connection_epoch: 2,
      connected_replica: there.name,
    });
    expect(second.isOpen).toBe(true);
    expect(here.channel.gateway.connection(id)).toBeUndefined();
    expect(here.instances).toEqual([`regain ${id}`]);
  });

  it('a replaced connection is found by the roll call if no message arrives', async () => {
    const [here, there] = await two({ rollCallMs: 50 });
    const { id, key } = await insertServer(here);
    const first = here.daemon(key);
    await here.becomes(id, { connection_epoch: 1 });
    await there.storage.write((tx) => tx.run('update servers set connection_epoch = 7', []));
    expect(await first.closed).toBe(4409);
  });

  it('the servers of a dead replica go offline, unless they reconnected elsewhere', async () => {
    const testDatabase = await engine.testDatabase();
    const doomed = await openReplica(engine, testDatabase);
    const [back, gone] = [await insertServer(doomed), await insertServer(doomed)];
    doomed.daemon(back.key);
    doomed.daemon(gone.key);
    await doomed.becomes(back.id, { connected_replica: doomed.name });
    await doomed.becomes(gone.id, { connected_replica: doomed.name });
    await doomed.die();
    const heir = await openReplica(engine, testDatabase, { watch: { beatMs: 50, deadAfterMs: 2_000 } });
    heir.daemon(back.key);
    await heir.becomes(gone.id, { status: 'offline', connected_replica: null });
    await heir.becomes(back.id, { status: 'online', connected_replica: heir.name });
    expect(heir.instances.filter((entry) => entry.startsWith('lose'))).toEqual([`lose ${gone.id}`]);
    const known = await heir.storage.reader.db.selectFrom('replicas').select('id').execute();
    expect(known).toEqual([{ id: heir.name }]);
  });

  it('a slow replica claims its connections again', async () => {
    const testDatabase = await engine.testDatabase();
    const slow = await openReplica(engine, testDatabase, { watch: { beatMs: 1_500 } });
    const hasty = await openReplica(engine, testDatabase, { watch: { beatMs: 50, deadAfterMs: 800 } });
    const { id, key } = await insertServer(slow);
    const daemon = slow.daemon(key);
    await slow.becomes(id, { status: 'offline', connected_replica: null });
    await hasty.die();
    await slow.becomes(id, { status: 'online', connected_replica: slow.name, connection_epoch: 1 });
    expect(daemon.isOpen).toBe(true);
  });

  describe('an outage of the database, by a clock of the test', () => {
    const [beatMs, deadAfterMs] = [20, 3_000];
    beforeEach(() => void vi.useFakeTimers({ now: Date.now(), toFake: ['Date', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    const open = async (testDatabase: TestDatabase, replica: string) => {
      const storage = await testDatabase.open();
      const row = storage.reader.db.selectFrom('replicas').select('seen_at').where('id', '=', replica);
      const hasBeaten = async () => (await row.executeTakeFirst())?.seen_at === Date.now();
      let outage: 'none' | 'after a beat' | 'now' = 'none';
      let [end, waits, timesGivenUp] = [Promise.withResolvers<void>(), false, 0];
      const replicas = new Replicas({
        storage: {
          ...storage,
          write: async (work) => {
            if (outage === 'now') {
              waits = true;
              await end.promise;
            }
            const result = await storage.write(work);
            if (outage === 'after a beat' && (await hasBeaten())) outage = 'now';
            return result;
          },
        },
        replica,
        liveness: { vanish: async () => {} },
        givenUp: () => void timesGivenUp++,
        cutOff: () => {},
        returned: () => {},
        log: new QuietLog(),
        beatMs,
        deadAfterMs,
      });
      const restore = () => {
        [outage, waits] = ['none', false];
        end.resolve();
      };
      engine.afterwards(async () => {
        restore();
        await replicas.stop();
        await storage.close();
      });
      await replicas.start();
      return {
        /** Resolves when the replica waits for the database. */
        lose: async (from: 'after a beat' | 'now') => {
          end = Promise.withResolvers();
          vi.advanceTimersByTime(1);
          outage = from;
          await until(() => waits, { describe: 'a write to wait' });
        },
        restore,
        beats: () => until(hasBeaten, { describe: `a beat of the ${replica}` }),
        timesGivenUp: () => timesGivenUp,
      };
    };

    const openTwo = async () => {
      const testDatabase = await engine.testDatabase();
      const replicas = [await open(testDatabase, 'first'), await open(testDatabase, 'second')] as const;
      for (let passed = 0; passed < deadAfterMs; passed += deadAfterMs / 3) {
        vi.advanceTimersByTime(deadAfterMs / 3);
        for (const replica of replicas) await replica.beats();
      }
      return replicas;
    };

    it('the first replica that is back does not bury the others', async () => {
      const [first, second] = await openTwo();
      await first.lose('now');
      await second.lose('now');
      vi.advanceTimersByTime(deadAfterMs * 2);
      first.restore();
      await first.beats();
      vi.advanceTimersByTime(1);
      await first.beats();
      second.restore();
      await second.beats();
      expect([first.timesGivenUp(), second.timesGivenUp()]).toEqual([0, 0]);
    });

    it('an outage right after a beat is no reason to bury the others', async () => {
      const [first, second] = await openTwo();
      await second.lose('now');
      await first.lose('after a beat');
      vi.advanceTimersByTime(deadAfterMs * 2);
      first.restore();
      await first.beats();
      second.restore();
      await second.beats();
      expect([first.timesGivenUp(), second.timesGivenUp()]).toEqual([0, 0]);
    });
  });

  it('a replica that is cut off from the database sends its daemons away, and they connect to another one', async () => {
    const testDatabase = await engine.testDatabase();
    const watch = { beatMs: 50, deadAfterMs: 1_000, cutOffMs: 500 };
    const [cut, other] = [
      await openReplica(engine, testDatabase, { watch }),
      await openReplica(engine, testDatabase, { watch: { beatMs: 50 } }),
    ];
    const [moved, gone] = [await insertServer(cut), await insertServer(cut)];
    const daemons = [cut.daemon(moved.key), cut.daemon(gone.key)];
    await cut.connected(moved.id);
    await cut.connected(gone.id);
    const outage = cut.loseDatabase(100);
    for (const daemon of daemons) expect(await daemon.closed).toBe(1001);
    other.daemon(moved.key);
    await other.becomes(moved.id, { connected_replica: other.name, status: 'online' });
    // The end of the other connection could not be recorded.
    expect(await other.server(gone.id)).toMatchObject({ connected_replica: cut.name, status: 'online' });
    outage.end();
    await other.becomes(gone.id, { connected_replica: null, status: 'offline' });
    expect(await other.server(moved.id)).toMatchObject({ connected_replica: other.name, status: 'online' });
  });

  it('an end of a connection that could not be recorded after an outage is recorded with a later sweep', async () => {
    const here = await openReplica(engine, await engine.testDatabase());
    const { id } = await insertServer(here);
    await here.storage.write((tx) => tx.run('update servers set connected_replica = $1', [here.name]));
    const tried: string[] = [];
    const rollCall = new RollCall({
      storage: here.storage,
      replica: here.name,
      gateway: { connections: () => [].values(), connection: () => undefined },
      liveness: {
        stillConnected: async () => {},
        disconnected: async (server) => {
          if (tried.push(server) === 1) throw new Error('The database is busy.');
        },
      },
      log: new QuietLog(),
      offerKey: async () => {},
    });
    engine.afterwards(() => rollCall.stop());
    rollCall.start();
    rollCall.missed();
    await until(() => tried.length === 2, { describe: 'a second attempt' });
    expect(tried).toEqual([id, id]);
  });
});
