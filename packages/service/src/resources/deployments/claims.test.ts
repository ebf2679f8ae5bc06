import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

const refused = { code: 'VALIDATION_ERROR', details: { field: 'claim', reason: 'claimed' } };
const line = (message: string) => ({ at: 1, level: 'info' as const, message });

onDifferingEngines('claims', (engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };

  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemon = await services.server(owner);
  });

  const ordered = async () =>
    (await services.execute(owner, (await services.definition(owner, daemon.serverId)).id)).id;
  const claim = (id: string, token?: string) =>
    services.patch(daemon, id, { status: 'running', ...(token && { claim: token }) });
  const connect = (journal: string | null, replica: string | null = 'here') =>
    services.storage.write((tx) =>
      tx.db
        .updateTable('servers')
        .set({ connected_replica: replica, daemon_journal: journal })
        .where('id', '=', daemon.serverId)
        .execute(),
    );

  describe('a claim with a token', () => {
    it('belongs to one daemon: its repeats are accepted, reports of others are refused', async () => {
      const id = await ordered();
      const { started_at } = await claim(id, 'first');
      expect(await claim(id, 'first')).toMatchObject({ status: 'running', started_at });
      await expect(claim(id, 'second')).rejects.toMatchObject(refused);
      await expect(claim(id)).rejects.toMatchObject(refused);
      const failed = { deployment_id: id, status: 'failed' as const };
      await expect(services.report(daemon, { ...failed, claim: 'second' })).rejects.toMatchObject(refused);
      await expect(services.report(daemon, failed)).rejects.toMatchObject(refused);
      expect(await services.report(daemon, { ...failed, status: 'success', claim: 'first' })).toMatchObject({
        status: 'success',
      });
    });

    it('passes to a daemon without a token if that holds the connection of the server', async () => {
      const id = await ordered();
      await claim(id, 'first');
      await connect('a journal');
      await expect(claim(id)).rejects.toMatchObject(refused);
      await connect(null, null);
      await expect(claim(id)).rejects.toMatchObject(refused);
      await connect(null);
      expect(await claim(id)).toMatchObject({ status: 'running' });
      await expect(claim(id, 'first')).rejects.toMatchObject(refused);
      expect(await services.patch(daemon, id, { status: 'success' })).toMatchObject({ status: 'success' });
    });
  });

  it('a claim without a token may be repeated, but not by a daemon that has one', async () => {
    const id = await ordered();
    await claim(id);
    expect(await claim(id)).toMatchObject({ status: 'running' });
    await expect(claim(id, 'late')).rejects.toMatchObject(refused);
    expect(await services.patch(daemon, id, { status: 'failed' })).toMatchObject({ status: 'failed' });
  });

  it('of concurrent claims exactly one succeeds, and only that daemon may end it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 8 }), async (tokens) => {
        const id = await ordered();
        const outcomes = await Promise.allSettled(tokens.map((token) => claim(id, token)));
        for (const outcome of outcomes)
          if (outcome.status === 'rejected' && !(outcome.reason instanceof Problem)) throw outcome.reason;
        const winners = new Set(tokens.filter((_, n) => outcomes[n]?.status === 'fulfilled'));
        expect(winners.size).toBe(1);
        const [winner = ''] = winners;
        expect(tokens.filter((_, n) => outcomes[n]?.status === 'rejected')).not.toContain(winner);
        const ends = await Promise.allSettled(
          ['a', 'b', 'c'].map((token) =>
            services.report(daemon, {
              deployment_id: id,
              status: token === winner ? 'success' : 'failed',
              claim: token,
            }),
          ),
        );
        expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(
          ['a', 'b', 'c'].map((text) => text === winner),
        );
      }),
      { numRuns: process.env.HORTUS_TEST_LONG ? 200 : 20 },
    );
  });

  it('log lines that a daemon resends after a lost response are stored once', async () => {
    const id = await ordered();
    const notify = (source: string, from: number, ...messages: string[]) =>
      services.patch(daemon, id, { status: 'running', logs: messages.map(line), log_position: { source, from } });
    await notify('one', 0, 'a', 'b');
    await notify('one', 0, 'a', 'b');
    await notify('one', 0, 'a', 'b', 'c');
    await notify('one', 4, 'e');
    // A restarted daemon counts from zero; lines without a position are always stored.
    await notify('two', 0, 'f');
    await services.patch(daemon, id, { status: 'running', logs: [line('g'), line('g')] });
    await services.patch(daemon, id, {
      status: 'failed',
      logs: ['f', 'h'].map(line),
      log_position: { source: 'two', from: 0 },
    });
    const { logs } = await services.deployments.read(owner, id, 0);
    expect(logs.map(({ message }) => message).join('')).toBe('abcefggh');
    expect(logs.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
