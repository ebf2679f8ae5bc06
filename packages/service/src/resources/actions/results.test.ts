import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type InstanceServices, openInstanceServices, SMTP_PASSWORD } from '../instances/testing/instance-services.ts';
import { KEPT_BYTES } from './results.ts';

async function sent({ running, execute, connect, actions, serverId }: InstanceServices) {
  const instance = await running();
  const { id } = await execute(instance.id);
  await actions.dispatch(serverId, await connect());
  return { id, instance };
}

onBothEngines((engine) => {
  it('a result over the channel is recorded once', async () => {
    const services = await openInstanceServices(engine);
    const { actions, serverId, execution, events } = services;
    const { id, instance } = await sent(services);
    await actions.started(serverId, id);
    await actions.started(serverId, id);
    expect(await execution(id)).toMatchObject({ status: 'running', started_at: expect.any(String) });
    const result = { execution_id: id, exit_code: 0, output: 'done\n' };
    await actions.completed(serverId, result);
    await actions.completed(serverId, { ...result, output: 'again' });
    await actions.failed(serverId, { ...result, exit_code: 1 });
    await actions.started(serverId, id);
    expect(await execution(id)).toMatchObject({
      status: 'completed',
      exit_code: 0,
      output: 'done\n',
      output_truncated: false,
      outcome: 'known',
      error: null,
      finished_at: expect.any(String),
    });
    expect(await events(id)).toEqual([
      {
        type: 'action.completed',
        data: {
          execution_id: id,
          instance_id: instance.id,
          server_id: serverId,
          kind: 'ordered',
          slug: 'db-dump',
          status: 'completed',
          exit_code: 0,
        },
      },
    ]);
  });

  it('a result over REST may be repeated; another final state is refused', async () => {
    const services = await openInstanceServices(engine);
    const { put, events } = services;
    const { id } = await sent(services);
    expect((await put(id, { status: 'running' })).status).toBe('running');
    expect((await put(id, { status: 'running' })).status).toBe('running');
    expect(await put(id, { status: 'failed', exit_code: 3, error: 'no space' })).toMatchObject({
      status: 'failed',
      exit_code: 3,
      error: 'no space',
    });
    expect((await put(id, { status: 'failed', exit_code: 4 })).exit_code).toBe(3);
    for (const status of ['completed', 'running'] as const)
      await expect(put(id, { status })).rejects.toMatchObject({ details: { field: 'status', status: 'failed' } });
    expect((await events(id)).map(({ type }) => type)).toEqual(['action.failed']);
  });

  it('a result may arrive without a start message', async () => {
    const services = await openInstanceServices(engine);
    const { id } = await sent(services);
    expect(await services.put(id, { status: 'completed', exit_code: 0 })).toMatchObject({ status: 'completed' });
  });

  it('a result is ignored if the execution was never sent or belongs to another server', async () => {
    const { running, execute, actions, serverId, execution, put, addServer } = await openInstanceServices(engine);
    const { id } = await execute((await running()).id);
    await actions.completed(serverId, { execution_id: id });
    await actions.completed(await addServer(), { execution_id: id });
    await actions.completed(serverId, { execution_id: 'exe_nobody' });
    await expect(put(id, { status: 'completed' })).rejects.toMatchObject({ details: { status: 'pending' } });
    expect((await execution(id)).status).toBe('pending');
  });

  it('a result takes its reason from the outcome if the daemon ended the execution', async () => {
    const services = await openInstanceServices(engine);
    const { actions, serverId, execution, events } = services;
    const outcomes = { timeout: 'timeout', cancelled: 'cancelled', unknown: 'failed', known: 'failed' } as const;
    for (const [outcome, status] of Object.entries(outcomes)) {
      const { id } = await sent(services);
      await actions.failed(serverId, { execution_id: id, outcome: outcome as keyof typeof outcomes });
      expect(await execution(id)).toMatchObject({
        status,
        outcome: outcome === 'unknown' ? 'unknown' : 'known',
        error: expect.any(String),
      });
      expect(await events(id)).toHaveLength(status === 'cancelled' ? 0 : 1);
    }
  });

  describe('the output of an execution', () => {
    it('is kept up to a mebibyte, truncated between characters, and marked as truncated', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await sent(services);
      const { output, output_truncated } = await services.put(id, {
        status: 'completed',
        output: `x${'€'.repeat(KEPT_BYTES / 2)}`,
      });
      expect(output_truncated).toBe(true);
      expect(Buffer.byteLength(output ?? '')).toBeGreaterThan(KEPT_BYTES - 3);
      expect(Buffer.byteLength(output ?? '')).toBeLessThanOrEqual(KEPT_BYTES);
      expect(output?.slice(1).replaceAll('€', '')).toBe('');
    });

    it('stays marked as truncated if the daemon truncated it', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await sent(services);
      const report = { status: 'completed', output: 'a\0b', output_truncated: true } as const;
      expect(await services.put(id, report)).toMatchObject({ output_truncated: true, output: 'a\uFFFDb' });
    });

    it('contains no secret of the definition, not even at the truncation', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await sent(services);
      const padding = 'x'.repeat(KEPT_BYTES - 5);
      const reported = await services.put(id, {
        status: 'failed',
        output: padding + SMTP_PASSWORD,
        error: `login with ${SMTP_PASSWORD} was refused`,
      });
      expect(reported.output?.replaceAll('x', '')).not.toMatch(/hunt/);
      expect(reported.error).toMatch(/^login with \*+ was refused$/);
    });

    it('an exit code outside the range of the column is dropped', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await sent(services);
      expect((await services.put(id, { status: 'failed', exit_code: 2 ** 40 })).exit_code).toBeNull();
    });
  });

  describe('cancelling an execution', () => {
    it('is immediate if it was not sent', async () => {
      const { running, execute, cancel, connect, actions, serverId, events } = await openInstanceServices(engine);
      const { id } = await execute((await running()).id);
      expect((await cancel(id)).status).toBe('cancelled');
      expect((await cancel(id)).status).toBe('cancelled');
      const line = await connect();
      await actions.dispatch(serverId, line);
      expect(line.sent).toEqual([]);
      expect(await events(id)).toEqual([]);
    });

    it('asks the daemon if it was sent, and the daemon reports the outcome', async () => {
      const services = await openInstanceServices(engine);
      const { cancel, connect, actions, serverId, execution } = services;
      const { id } = await sent(services);
      await actions.started(serverId, id);
      expect(await cancel(id)).toMatchObject({ status: 'running', cancelling: true });
      const line = await connect();
      await actions.dispatch(serverId, line);
      expect(line.sent).toContainEqual({ type: 'action_cancel', execution_id: id });
      const published = await connect([]);
      await actions.dispatch(serverId, published);
      expect(published.sent).toEqual([]);
      await actions.failed(serverId, { execution_id: id, outcome: 'cancelled' });
      expect(await execution(id)).toMatchObject({ status: 'cancelled', cancelling: false });
    });

    it('is refused if it has ended', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await sent(services);
      await services.put(id, { status: 'completed' });
      await expect(services.cancel(id)).rejects.toMatchObject({ details: { reason: 'state', status: 'completed' } });
    });
  });
});
