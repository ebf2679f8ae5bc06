import { startGitServer } from '@hortus/testkit/git-server';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { MortalProcess } from '../../../testing/mortal-process.ts';
import { startApp } from '../../../testing/running-service.ts';
import { Follower, gardenOf } from '../testing/follower.ts';

/** What a process writes while it follows a garden: the commit, its states, its run, the changes, the look itself. */
const deadly = /^(?:insert into "garden_(?:commits|runs)"|update "garden_(?:commits|changes|sources)")/;

onBothEngines((engine) => {
  it('a followed commit is applied exactly once by processes that die at every step', async () => {
    await using server = await startGitServer();
    const repository = await server.repository('home');
    const names = ['a', 'b', 'c'];
    const sha = await repository.commit({ 'garden.yaml': gardenOf(names) });
    const testDatabase = await engine.testDatabase();
    let id: string | undefined;
    let deaths = 0;
    for (let ended = false; !ended; ) {
      const process = new MortalProcess(deadly, 1 + (deaths % 2), deaths % 2 === 0);
      const service = await startApp(engine, {}, testDatabase, process);
      const follower = new Follower(service);
      const { db } = service.database;
      if (id === undefined) {
        await follower.server('attic');
        id = (await follower.follow(repository, { mode: 'apply' })).id;
      }
      const gardenId = id;
      // The leases of the process that died would end later.
      await db
        .updateTable('jobs')
        .set({ run_at: 0, lease_owner: null })
        .where('kind', 'in', ['gardens.apply', 'gardens.follow'])
        .execute();
      const running = db.selectFrom('deployments').select('id').where('status', '=', 'pending');
      const applied = db
        .selectFrom('garden_commits')
        .select('id')
        .where('garden_id', '=', gardenId)
        .where('status', '=', 'applied');
      await until(
        async () => {
          for (const item of process.dead ? [] : await running.execute())
            await follower.report(item.id, 'success').catch(() => {});
          return process.dead || (await applied.executeTakeFirst()) !== undefined;
        },
        { describe: 'a death, or the end of the commit' },
      );
      if (process.dead) deaths++;
      else ended = true;
      process.buried = process.dead;
      await service.app.close();
    }
    expect(deaths).toBeGreaterThan(5);

    const last = await startApp(engine, {}, testDatabase);
    const follower = new Follower(last);
    const commits = await follower.commits(id ?? '');
    expect(commits).toMatchObject([{ sha, status: 'applied' }]);
    const { data: runs } = await last.client.call('gardens.runs', { params: { id: id ?? '' } });
    expect(runs).toMatchObject([{ id: commits[0]?.run_id, status: 'succeeded', done: 3 }]);
    expect((await follower.definitions()).map(({ instance_uid }) => instance_uid).sort()).toEqual(names);
    const { data: deployments } = await last.client.call('deployments.list', { query: { per_page: 100 } });
    expect(deployments.map(({ status }) => status)).toEqual(Array(3).fill('success'));
    const reported = (await last.eventsOf(commits[0]?.id)).map(({ type }) => type);
    expect(reported).toEqual(['garden.commit.planned', 'garden.commit.applied']);
  });
});
