import { expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { openInstanceServices } from '../instances/testing/instance-services.ts';

onBothEngines((engine) => {
  it.each(['timeout', 'cancelled'] as const)('PUT /actions/{id} accepts %s, also repeated', async (status) => {
    const { running, execute, connect, actions, serverId, put } = await openInstanceServices(engine);
    const { id } = await execute((await running()).id);
    await actions.dispatch(serverId, await connect([]));
    await put(id, { status: 'running' });
    const report = { status, exit_code: 137, output: 'so far', error: 'took too long' };
    expect(await put(id, report)).toMatchObject(report);
    expect(await put(id, report)).toMatchObject(report);
    await expect(put(id, { status: 'completed' })).rejects.toMatchObject({ details: { status } });
  });

  it('an action parameter without a default has default null, and a password never shows its default', async () => {
    const { running, actions, principal } = await openInstanceServices(engine);
    const { actions: listed } = await actions.list(principal, (await running()).id);
    expect(listed.find(({ slug }) => slug === 'add-user')?.params).toEqual([
      { name: 'name', type: 'string', required: true, default: null },
      { name: 'password', type: 'password', required: true, default: null },
      { name: 'level', type: 'integer', required: false, default: 3 },
    ]);
  });
});
