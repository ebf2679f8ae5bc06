import { expect, it } from 'vitest';
import type { DatabaseWait } from '../storage/database-wait.ts';
import { currentDatabaseWait } from '../storage/request-context.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { bearer, serve } from './testing/serve.ts';

onDifferingEngines('waiting for a database server', (engine) => {
  it('all queries of a request share its time for waiting, if the database is a server', async () => {
    const seen: DatabaseWait[] = [];
    const handler = async () => {
      seen.push(currentDatabaseWait());
      await Promise.resolve();
      seen.push(currentDatabaseWait());
      throw new Error('The test needs no answer.');
    };
    await using service = await serve({ storage: await engine.open(), handlers: { 'definitions.read': handler } });
    for (const id of ['first', 'second'])
      await service.fetch(`/api/v1/definitions/${id}`, { headers: bearer('admin') });
    expect(seen).toHaveLength(4);
    expect(seen[0] === seen[1]).toBe(engine.name === 'postgres');
    expect(seen[0]).not.toBe(seen[2]);
  });
});
