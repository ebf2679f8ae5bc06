import { LOG_BODY_LIMIT } from '@hortus/contract/endpoint';
import { deploymentEndpoints } from '@hortus/contract/resources/deployments';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectShape } from '../../testing/published-response.ts';
import { deploymentRoutes } from './routes.ts';
import { serveDefinition } from './testing/served-definition.ts';

onBothEngines((engine) => {
  let served: Awaited<ReturnType<typeof serveDefinition>>;
  let definition_id: string;
  const ask: typeof served.ask = (...request) => served.ask(...request);

  beforeAll(async () => {
    served = await serveDefinition(engine, ({ deployments, definitions, reports, planning }) =>
      deploymentRoutes(deployments, reports, planning, (...args) => definitions.order(...args)),
    );
    ({ definition_id } = served);
  });

  it('the endpoints of deployments follow the published flow from order to success', async () => {
    const ordered = await ask('owner', 'POST', '/deployments/execute', { definition_id });
    expect(ordered.status).toBe(201);
    expectShape(deploymentEndpoints['deployments.execute'].response, ordered.json);
    const { id } = ordered.json.data;
    const pending = await ask('daemon', 'GET', '/deployments/pending');
    expectShape(deploymentEndpoints['deployments.pending'].response, pending.json);
    expect(pending.json.data.map((item: { id: string }) => item.id)).toEqual([id]);
    expect((await ask('other', 'GET', '/deployments/pending')).json.data).toEqual([]);
    const at = '2026-01-02T03:04:05Z';
    const logs = [{ at, level: 'info', message: 'with hunter2hunter2', from: 'a later version' }];
    expect(
      await ask('daemon', 'PATCH', `/deployments/${id}/status`, { status: 'running', logs, more: 1 }),
    ).toMatchObject({
      status: 200,
      json: { data: { status: 'running' } },
    });
    expect((await ask('other', 'PATCH', `/deployments/${id}/status`, { status: 'running' })).status).toBe(404);
    const reported = await ask('daemon', 'POST', '/deploy/report', {
      deployment_id: id,
      status: 'success',
      instance: { container_id: 'c1', container_name: 'blog', status: 'running', health: 'healthy', started_at: at },
    });
    expect(reported).toMatchObject({ status: 200, json: { data: { status: 'success' } } });
    const read = await ask('owner', 'GET', `/deployments/${id}?after=0`);
    expectShape(deploymentEndpoints['deployments.read'].response, read.json);
    expect(read.json.data.logs).toMatchObject([{ number: 1, message: 'with ***' }]);
    expect((await ask('owner', 'GET', `/deployments/${id}?after=1`)).json.data.logs).toEqual([]);
    expect((await ask('owner', 'POST', `/deployments/${id}/rollback`)).status).toBe(422);
    const again = await ask('owner', 'POST', '/deployments', { definition_id });
    const cancelled = await ask('owner', 'POST', `/deployments/${again.json.data.id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, json: { data: { status: 'failed', reason: 'cancelled' } } });
  });

  it('a deployment is ordered once per idempotency key', async () => {
    const headers = { 'idempotency-key': 'one' };
    const order = () => ask('owner', 'POST', '/deployments/execute', { definition_id }, headers);
    const [first, second] = [await order(), await order()];
    expect(second).toEqual(first);
    await served.services.cancel(served.callers.owner, first.json.data.id);
  });

  it('reports may be larger than other bodies, up to a limit', async () => {
    const { json } = await ask('owner', 'POST', '/deployments/execute', { definition_id });
    const path = `/deployments/${json.data.id}/status`;
    const line = { at: 0, level: 'info', message: 'x'.repeat(15_000) };
    const logs = (count: number) => ({ status: 'running', logs: Array.from({ length: count }, () => line) });
    expect((await ask('daemon', 'PATCH', path, logs(500))).status).toBe(200);
    const tooLarge = await ask('daemon', 'PATCH', path, logs(600));
    expect(tooLarge).toMatchObject({ status: 422, json: { error: { details: { field: 'body' } } } });
    expect(tooLarge.json.error.message).toContain(String(LOG_BODY_LIMIT));
    const { status, json: usual } = await ask('owner', 'POST', '/deployments', { definition_id: 'x'.repeat(2 ** 21) });
    expect(status).toBe(422);
    expect(usual.error.message).toContain(String(1024 * 1024));
    await ask('daemon', 'PATCH', path, { status: 'failed' });
  });
});
