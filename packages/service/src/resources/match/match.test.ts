import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });
  const ask = (needs: unknown) => service.request('POST', '/match', { body: { needs } });

  it('match returns templates for each need, unmet needs, and a combination', async () => {
    const { status, json } = await ask([{ class: 'http.blog' }, { class: 'database.postgres' }, { class: 'http' }]);
    expect(status).toBe(200);
    const { data: items } = (await service.request('GET', '/templates?species=inkwell')).json;
    expect(json.data).toEqual({
      matches: [
        { need: { class: 'http.blog' }, templates: [{ ...items[0], provides: ['http.blog'], needs: [] }] },
        { need: { class: 'database.postgres' }, templates: [] },
        { need: { class: 'http' }, templates: [{ ...items[0], provides: ['http.blog'], needs: [] }] },
      ],
      unmet: ['database.postgres'],
      best: [{ ...items[0], covers: ['http.blog', 'http'] }],
    });
  });

  it('match reports unmet needs without failing', async () => {
    const { status, json } = await ask([{ class: 'queue.amqp' }]);
    expect([status, json.data.unmet, json.data.best]).toEqual([200, ['queue.amqp'], []]);
  });

  it.each([
    ['nothing', []],
    ['too many needs', Array.from({ length: 17 }, (_, at) => ({ class: `a.b${at}` }))],
    ['a need without a class', [{}]],
    ['a need with an invalid class', [{ class: 'Database!' }]],
    ['a need with unknown fields', [{ class: 'a.b', optional: true }]],
  ])('match refuses %s', async (_, needs) => {
    expectRefusal(await ask(needs), 'VALIDATION_ERROR', 'needs');
  });
});
