import { expect, it } from 'vitest';
import { onDifferingEngines } from './engines.ts';
import { startApp } from './running-service.ts';
import { watchWrites } from './write-watch.ts';

onDifferingEngines('reading of every table', (engine) => {
  it('inserted, changed and removed rows are detected, and changes by time alone are ignored', async () => {
    const { database } = await startApp(engine);
    const writes = await watchWrites(database);
    const during = async (text: string) => {
      await writes.begin();
      await database.run(text, []);
      return await writes.end();
    };
    expect(await during(`insert into settings (name, value) values ('a', '1')`)).toEqual(['insert settings']);
    expect(await during(`update settings set value = '1' where name = 'a'`)).toEqual([]);
    expect(await during(`update settings set value = '2' where name = 'a'`)).toEqual(['update settings']);
    expect(await during(`delete from settings where name = 'a'`)).toEqual(['delete settings']);
    expect(await during('update api_keys set last_used_at = 7')).toEqual([]);
    expect(await writes.end()).toEqual([]);
  });

  it('a job that a request adds or moves is detected, and one that the worker claims, frees or deletes is ignored', async () => {
    const { database } = await startApp(engine);
    const writes = await watchWrites(database);
    const job = "id = 'job_test'";
    await writes.begin();
    await database.run(
      `insert into jobs (id, kind, payload, run_at, attempts, dead, created_at) values ('job_test', 'unknown', 'null', 9e15, 0, 0, 0)`,
      [],
    );
    await database.run(`update jobs set run_at = 8e15 where ${job}`, []);
    expect(await writes.end()).toEqual(['insert jobs', 'update jobs']);
    await writes.begin();
    await database.run(`update jobs set lease_owner = 'a', run_at = 9e15 where ${job}`, []);
    await database.run(`update jobs set lease_owner = null, run_at = 8e15 where ${job}`, []);
    await database.run(`update jobs set lease_owner = 'a' where ${job}`, []);
    await database.run(`delete from jobs where ${job}`, []);
    expect(await writes.end()).toEqual([]);
  });
});
