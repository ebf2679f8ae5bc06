import { expect, it } from 'vitest';
import type { Patience } from '../storage/patience.ts';
import { currentPatience } from '../storage/request-context.ts';
import { onBothEngines } from '../testing/engines.ts';
import { bearer, serve } from './testing/serve.ts';

onBothEngines((engine) => {
  it('all queries of a request share its time for waiting, if the database is a server', async () => {
    const seen: Patience[] = [];
    const handler = async () => {
      seen.push(currentPatience());
      await Promise.resolve();
      seen.push(currentPatience());
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
