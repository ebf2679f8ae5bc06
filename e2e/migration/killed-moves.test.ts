import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasOwnEngine } from '../catalog/greenhouse.ts';
import { type Nursery, openNursery } from './nursery.ts';

/** In the order in which a migration passes them. */
const moments = ['copying', 'stopping', 'moving', 'starting', 'switched'] as const;
type Moment = (typeof moments)[number];
const victims = ['service', 'source', 'target'] as const;
type Victim = (typeof victims)[number];

/** Every victim dies and, in all runs together, at every moment; all combinations in the long run. */
const diagonal: readonly (readonly [Victim, Moment])[] = [
  ['service', 'copying'],
  ['source', 'stopping'],
  ['target', 'moving'],
  ['service', 'moving'],
  ['source', 'moving'],
  ['target', 'starting'],
  ['service', 'starting'],
  ['service', 'switched'],
];
const every = victims.flatMap((victim) => moments.map((moment) => [victim, moment] as const));
const deaths = process.env.HORTUS_TEST_LONG ? every : diagonal;

if (hasOwnEngine) {
  describe('a tenant runs on exactly one side with all its rows', () => {
    let nursery: Nursery;
    beforeAll(async () => {
      nursery = await openNursery();
    }, 300_000);
    afterAll(() => nursery?.[Symbol.asyncDispose]());

    test.each(deaths)('though the %s is killed while it is %s', { timeout: 240_000 }, async (victim, moment) => {
      const { all } = nursery;
      const [from, to] = all.grounds.toSorted((a) => (a.serverId === nursery.home ? -1 : 1));
      if (!from || !to) throw new Error('There are two.');
      await all.online();
      await nursery.write(`before ${victim} ${moment}`);
      const { migration } = await nursery.migrate(to);
      const id = migration?.id ?? '';
      await until(async () => passed(moment, (await nursery.read(id))?.status), {
        every: 3,
        describe: moment,
        within: 60_000,
      });
      if (victim === 'service') await all.restartService();
      else {
        const ground = victim === 'source' ? from : to;
        await ground.daemon.kill('SIGKILL');
        ground.restart();
      }
      const end = await nursery.settled(id);
      const there = end.status === 'completed';
      if (!there) expect(end).toMatchObject({ status: 'failed', reason: expect.any(String) });
      const home = there ? to : from;
      nursery.home = home.serverId;
      // What a daemon that was away has not heard of yet it hears when it is back.
      await all.online();
      const oneSide = async () => (await nursery.sides()).join() === home.name;
      await until(oneSide, {
        describe: () => `it to run on ${home.name} alone; ${JSON.stringify(end, null, 1)}`,
      });
      // One that was started again may take a moment before it answers.
      const rows = () => nursery.rows(home);
      await until(async () => (await rows()).length >= nursery.written.length, { describe: 'the rows' });
      expect(await rows()).toEqual(nursery.written);
      const tenant = await nursery.tenant();
      expect(tenant).toMatchObject({ status: 'active', server_id: home.serverId });
      const left = there ? from : to;
      await until(async () => (await nursery.leftOn(left)).length === 0, {
        describe: () => `nothing to be left on ${left.name}; ${JSON.stringify(end, null, 1)}`,
      });
    });
  });
}

/** One that is quicker than we look has passed the moment. */
const passed = (moment: Moment, status: string | undefined): boolean =>
  status !== undefined &&
  (status === 'completed' || status === 'failed' || moments.indexOf(status as Moment) >= moments.indexOf(moment));
