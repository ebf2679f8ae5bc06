import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasOwnEngine } from '../catalog/catalog-installation.ts';
import { type MigratedTenant, openMigratedTenant } from './migrated-tenant.ts';

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
    let migrated: MigratedTenant;
    beforeAll(async () => {
      migrated = await openMigratedTenant();
    }, 300_000);
    afterAll(() => migrated?.[Symbol.asyncDispose]());

    test.each(deaths)('though the %s is killed while it is %s', { timeout: 240_000 }, async (victim, moment) => {
      const { all } = migrated;
      const [from, to] = all.servers.toSorted((a) => (a.serverId === migrated.home ? -1 : 1));
      if (!from || !to) throw new Error('There are two.');
      await all.online();
      await migrated.write(`before ${victim} ${moment}`);
      const { migration } = await migrated.migrate(to);
      const id = migration?.id ?? '';
      await until(async () => passed(moment, (await migrated.read(id))?.status), {
        every: 3,
        describe: moment,
        within: 60_000,
      });
      if (victim === 'service') await all.restartService();
      else {
        const server = victim === 'source' ? from : to;
        await server.daemon.kill('SIGKILL');
        server.restart();
      }
      const end = await migrated.settled(id);
      const there = end.status === 'completed';
      if (!there) expect(end).toMatchObject({ status: 'failed', reason: expect.any(String) });
      const home = there ? to : from;
      migrated.home = home.serverId;
      // What a daemon that was away has not heard of yet it hears when it is back.
      await all.online();
      const oneSide = async () => (await migrated.sides()).join() === home.name;
      await until(oneSide, {
        describe: () => `it to run on ${home.name} alone; ${JSON.stringify(end, null, 1)}`,
      });
      // One that was started again may take a moment before it answers.
      const rows = () => migrated.rows(home);
      await until(async () => (await rows()).length >= migrated.written.length, { describe: 'the rows' });
      expect(await rows()).toEqual(migrated.written);
      const tenant = await migrated.tenant();
      expect(tenant).toMatchObject({ status: 'active', server_id: home.serverId });
      const left = there ? from : to;
      await until(async () => (await migrated.leftOn(left)).length === 0, {
        describe: () => `nothing to be left on ${left.name}; ${JSON.stringify(end, null, 1)}`,
      });
    });
  });
}

/** One that is quicker than we look has passed the moment. */
const passed = (moment: Moment, status: string | undefined): boolean =>
  status !== undefined &&
  (status === 'completed' || status === 'failed' || moments.indexOf(status as Moment) >= moments.indexOf(moment));
