import { expect, it } from 'vitest';
import { onBothEngines } from './engines.ts';
import { startApp } from './running-service.ts';
import { watchWrites } from './write-watch.ts';

onBothEngines((engine) => {
  it('inserted, changed and removed rows are detected, and changes by time alone are ignored', async () => {
    const { sideDoor } = await startApp(engine);
    const writes = await watchWrites(sideDoor);
    const during = async (text: string) => {
      await writes.begin();
      await sideDoor.run(text, []);
      return await writes.end();
    };
    expect(await during(`insert into settings (name, value) values ('a', '1')`)).toEqual(['insert settings']);
    expect(await during(`update settings set value = '1' where name = 'a'`)).toEqual([]);
    expect(await during(`update settings set value = '2' where name = 'a'`)).toEqual(['update settings']);
    expect(await during(`delete from settings where name = 'a'`)).toEqual(['delete settings']);
    expect(await during('update api_keys set last_used_at = 7')).toEqual([]);
    expect(await writes.end()).toEqual([]);
  });
});
