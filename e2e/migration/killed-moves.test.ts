import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasOwnEngine } from '../catalog/catalog-installation.ts';
import { type MigratedTenant, openMigratedTenant } from './migrated-tenant.ts';

/** States of a migration in order. */
const moments = ['copying', 'stopping', 'moving', 'starting', 'switched'] as const;
type Moment = (typeof moments)[number];
const victims = ['service', 'source', 'target'] as const;
type Victim = (typeof victims)[number];

/** Kills every victim and covers every state; all combinations only in the long run. */
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

    test.each(deaths)(
      'although the %s is killed while the migration is %s',
      { timeout: 240_000 },
      async (victim, moment) => {
        const { all } = migrated;
        const [from, to] = all.servers.toSorted((a) => (a.serverId === migrated.home ? -1 : 1));
        if (!from || !to) throw new Error('Two servers expected.');
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
        // A restarted daemon first has to catch up.
        await all.online();
        const oneSide = async () => (await migrated.sides()).join() === home.name;
        await until(oneSide, {
          describe: () => `it to run on ${home.name} alone; ${JSON.stringify(end, null, 1)}`,
        });
        // A restarted database may take a moment to answer.
        const rows = () => migrated.rows(home);
        await until(async () => (await rows()).length >= migrated.written.length, { describe: 'the rows' });
        expect(await rows()).toEqual(migrated.written);
        const tenant = await migrated.tenant();
        expect(tenant).toMatchObject({ status: 'active', server_id: home.serverId });
        const left = there ? from : to;
        await until(async () => (await migrated.leftOn(left)).length === 0, {
          describe: () => `nothing to be left on ${left.name}; ${JSON.stringify(end, null, 1)}`,
        });
      },
    );
  });
}

/** Also accepts that a fast migration has already passed the state. */
const passed = (moment: Moment, status: string | undefined): boolean =>
  status !== undefined &&
  (status === 'completed' || status === 'failed' || moments.indexOf(status as Moment) >= moments.indexOf(moment));
