import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { MortalProcess } from '../../testing/mortal-process.ts';
import { startApp } from '../../testing/running-service.ts';
import { Gardener, inkwell } from './testing/gardener.ts';

onBothEngines((engine) => {
  it('a garden is applied exactly once by processes that die in the middle of its changes and between them', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const files = {
      garden: {
        name: 'home',
        definitions: {
          ...Object.assign({}, ...names.map((name) => inkwell(name, 'attic'))),
          ...inkwell('z', 'attic', { needs: ['a'] }),
        },
        registries: { 'registry.example.org': { username: 'gardener', password: '${env.TOKEN}' } },
      },
      values: { 'env.TOKEN': 'a-token' },
    };
    const testDatabase = await engine.testDatabase();
    let id: string | undefined;
    let deaths = 0;
    for (let ended = false; !ended; ) {
      const process = new MortalProcess(/^update "garden_changes"/, 1 + (deaths % 3), deaths % 2 === 0);
      const service = await startApp(engine, {}, testDatabase, process);
      const gardener = new Gardener(service);
      const { db } = service.database;
      if (id === undefined) {
        await gardener.server('attic');
        id = (await gardener.apply(files)).id;
      }
      const status = db.selectFrom('garden_runs').select('status').where('id', '=', id);
      // The lease of the process that died would end later.
      const jobs = db.updateTable('jobs').set({ run_at: 0, lease_owner: null });
      await jobs.where('kind', '=', 'gardens.apply').execute();
      const running = db.selectFrom('deployments').select('id').where('status', '=', 'pending');
      await until(
        async () => {
          for (const item of process.dead ? [] : await running.execute())
            await gardener.report(item.id, 'success').catch(() => {});
          return process.dead || (await status.executeTakeFirstOrThrow()).status !== 'applying';
        },
        { describe: 'a death, or the end of the run' },
      );
      if (process.dead) deaths++;
      else ended = true;
      process.buried = process.dead;
      await service.app.close();
    }
    expect(deaths).toBeGreaterThan(3);

    const last = await startApp(engine, {}, testDatabase);
    const gardener = new Gardener(last);
    expect(await gardener.run(id ?? '')).toMatchObject({ status: 'succeeded', done: 7 });
    expect((await gardener.definitions()).map(({ instance_uid }) => instance_uid).sort()).toEqual([...names, 'z']);
    const { data } = await last.client.call('deployments.list', { query: { per_page: 100 } });
    expect(data.map(({ status }) => status)).toEqual(Array(6).fill('success'));
    expect(new Set(data.map(({ definition_id }) => definition_id)).size).toBe(6);
    expect((await gardener.plan(files)).changes).toEqual([]);
  });
});
