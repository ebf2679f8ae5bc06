import { builtInActions } from '@hortus/contract/actions/built-in-actions';
import { rolloutSteps } from '@hortus/contract/actions/steps';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });
  const get = (path: string) => service.request('GET', path);

  it('playbooks describe what a daemon does, for every step of a log', async () => {
    const { data, pagination } = (await get('/playbooks?per_page=100')).json;
    expect(pagination.total).toBe(data.length);
    const steps = new Map(
      data.flatMap((item: { steps: { id: string }[] }) => item.steps.map((step) => [step.id, step])),
    );
    for (const [id, words] of Object.entries(rolloutSteps)) expect(steps.get(id)).toEqual({ id, ...words });
    for (const item of data) expect((await get(`/playbooks/${item.type}`)).json.data).toEqual(item);
  });

  it('every order on an instance has a playbook', async () => {
    for (const slug of Object.keys(builtInActions)) {
      const { data } = (await get(`/playbooks/${slug.replace('hortus.', '')}`)).json;
      expect(data.steps.at(-1).id).toBe('report_result');
    }
  });

  it('an unknown type of playbook is refused', async () => {
    expectRefusal(await get('/playbooks/constructor'), 'NOT_FOUND');
  });
});
