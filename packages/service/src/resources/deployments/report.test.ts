import { beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { MAX_BYTES, MAX_LINES } from './logs/logs.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

const line = (message: string) => ({ at: '2026-01-02T03:04:05.000Z', level: 'info' as const, message });
const final = { code: 'VALIDATION_ERROR', details: { field: 'status', reason: 'final' } };

onBothEngines((engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };

  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemon = await services.server(owner);
  });

  const ordered = async (inputs?: Record<string, string>) => {
    const definition = await services.definition(owner, daemon.serverId, inputs);
    return { definition, ...(await services.execute(owner, definition.id)) };
  };
  const read = (id: string, after = 0) => services.deployments.read(owner, id, after);
  const types = async (id: string) => (await services.eventsOf(id)).map(({ type }) => type);

  describe('a claim of a deployment', () => {
    it('starts the deployment, once', async () => {
      const { id, definition } = await ordered();
      const claimed = await services.patch(daemon, id, { status: 'running' });
      expect(claimed).toMatchObject({ status: 'running', instance_id: services.instances.ids.get(definition.id) });
      expect(claimed.started_at).not.toBeNull();
      expect(await services.patch(daemon, id, { status: 'running' })).toMatchObject({ started_at: claimed.started_at });
      expect(await types(id)).toEqual(['deployment.started']);
    });

    it('accepts pending while it is pending, and never afterwards', async () => {
      const { id } = await ordered();
      expect(await services.patch(daemon, id, { status: 'pending' })).toMatchObject({
        status: 'pending',
        started_at: null,
      });
      expect(await types(id)).toEqual([]);
      await services.patch(daemon, id, { status: 'running' });
      const back = services.patch(daemon, id, { status: 'pending' });
      await expect(back).rejects.toMatchObject({ details: { field: 'status', reason: 'state', status: 'running' } });
    });

    it('is refused while another deployment of the definition is ahead', async () => {
      const { id: first, definition } = await ordered();
      const { id: second } = await services.execute(owner, definition.id);
      const waiting = { details: { field: 'status', reason: 'waiting', deployment_id: first } };
      for (const status of ['running', 'success', 'failed'] as const)
        await expect(services.patch(daemon, second, { status })).rejects.toMatchObject(waiting);
      await services.patch(daemon, first, { status: 'running' });
      await expect(services.patch(daemon, second, { status: 'running' })).rejects.toMatchObject(waiting);
      const before = services.woken.length;
      await services.patch(daemon, first, { status: 'failed' });
      expect(services.woken.slice(before)).toEqual([daemon.serverId]);
      expect(await services.patch(daemon, second, { status: 'running' })).toMatchObject({ status: 'running' });
    });

    it('is accepted only from the daemon of its server', async () => {
      const { id } = await ordered();
      const neighbour = await services.server(owner);
      const gone = { code: 'NOT_FOUND' };
      await expect(services.patch(neighbour, id, { status: 'running' })).rejects.toMatchObject(gone);
      await expect(services.report(neighbour, { deployment_id: id, status: 'success' })).rejects.toMatchObject(gone);
      await expect(services.deployments.read(neighbour, id, 0)).rejects.toMatchObject(gone);
      await expect(services.patch(await services.account(), id, { status: 'running' })).rejects.toMatchObject(gone);
    });
  });

  describe('the end of a deployment', () => {
    it('a success updates definition and instance', async () => {
      const { id, definition } = await ordered({ WEB_HOSTNAME: 'blog.example.org' });
      await services.patch(daemon, id, { status: 'running' });
      const started_at = '2026-01-02T03:04:05.000Z';
      const instance = {
        container_id: 'c1',
        container_name: 'blog',
        status: 'running',
        health: 'healthy',
        started_at,
      } as const;
      const components = [{ name: 'main', status: 'running', container_id: 'c1' } as const];
      const ended = await services.report(daemon, { deployment_id: id, status: 'success', instance, components });
      expect(ended).toMatchObject({ status: 'success', reason: null, error: null });
      expect(await services.definitions.read(owner, definition.id)).toMatchObject({
        status: 'active',
        current_revision: 1,
      });
      expect(services.instances.facts.get(ended.instance_id ?? '')).toEqual({
        ...instance,
        started_at: Date.parse(started_at),
        revision: 1,
        url: 'https://blog.example.org',
        components,
      });
      expect(await types(id)).toEqual(['deployment.started', 'deployment.success']);
      const [, success] = await services.eventsOf(id);
      expect(JSON.parse(success?.data ?? '')).toMatchObject({
        deployment_id: id,
        definition_id: definition.id,
        server_id: daemon.serverId,
        revision: 1,
        status: 'success',
        reason: null,
      });
    });

    it('may be reported directly for a pending deployment', async () => {
      const { id } = await ordered();
      const ended = await services.patch(daemon, id, { status: 'success', container_id: 'c2', logs: [line('done')] });
      expect(ended.status).toBe('success');
      expect(services.instances.facts.get(ended.instance_id ?? '')).toMatchObject({
        container_id: 'c2',
        status: 'running',
        health: 'healthy',
      });
      expect(await types(id)).toEqual(['deployment.started', 'deployment.success']);
      expect((await read(id)).logs).toHaveLength(1);
    });

    it('a failure keeps its reason and the reported state of the containers', async () => {
      const { id, definition } = await ordered();
      const instance = { container_id: 'c3', status: 'failed' } as const;
      const body = { deployment_id: id, status: 'failed', reason: 'unhealthy', error: 'no answer', instance } as const;
      expect(await services.report(daemon, body)).toMatchObject({
        status: 'failed',
        reason: 'unhealthy',
        error: 'no answer',
      });
      expect(services.instances.reported.at(-1)).toEqual({ ...instance, definition_id: definition.id });
      expect((await services.definitions.read(owner, definition.id)).status).toBe('pending');
      const other = await ordered();
      expect(await services.patch(daemon, other.id, { status: 'failed' })).toMatchObject({
        reason: 'failed',
        error: null,
      });
    });

    it('is final: the same report again changes nothing, another is refused', async () => {
      for (const status of ['success', 'failed'] as const) {
        const { id } = await ordered();
        await services.patch(daemon, id, { status, logs: [line('once')] });
        const ended = await read(id);
        await services.patch(daemon, id, { status, logs: [line('once')], reason: 'other' });
        await services.report(daemon, { deployment_id: id, status });
        for (const other of ['running', 'success', 'failed'] as const)
          if (other !== status)
            await expect(services.patch(daemon, id, { status: other })).rejects.toMatchObject(final);
        await expect(services.cancel(owner, id)).rejects.toMatchObject(final);
        expect(await read(id)).toEqual(ended);
        expect(await types(id)).toHaveLength(2);
      }
    });
  });

  describe('the log of a deployment', () => {
    it('has numbers without gaps under concurrent writes', async () => {
      const { id } = await ordered();
      await services.patch(daemon, id, { status: 'running' });
      const batches = Array.from({ length: 12 }, (_, b) => [0, 1, 2].map((i) => line(`${b}/${i}`)));
      await Promise.all(batches.map((logs) => services.patch(daemon, id, { status: 'running', logs })));
      const { logs } = await read(id);
      expect(logs.map(({ number }) => number)).toEqual(Array.from({ length: 36 }, (_, i) => i + 1));
      for (const [b] of batches.entries()) {
        const own = logs.map(({ message }) => message).filter((message) => message.startsWith(`${b}/`));
        expect(own).toEqual([`${b}/0`, `${b}/1`, `${b}/2`]);
      }
    });

    it('is read in pages, and is truncated at its limit', async () => {
      const { id } = await ordered();
      const batch = (count: number) => Array.from({ length: count }, () => line('growing'));
      await services.patch(daemon, id, { status: 'running', logs: batch(9_990) });
      const page = await read(id);
      expect(page).toMatchObject({ logs_truncated: true, logs: { length: 1_000 } });
      expect(await read(id, 9_500)).toMatchObject({ logs_truncated: false, logs: { length: 490 } });
      for (let i = 0; i < 3; i++) await services.patch(daemon, id, { status: 'running', logs: batch(10_000) });
      await services.patch(daemon, id, { status: 'running', logs: batch(1) });
      const { logs } = await read(id, MAX_LINES - 1);
      expect(logs.map(({ number, message }) => [number, message.slice(0, 19)])).toEqual([
        [MAX_LINES, 'growing'],
        [MAX_LINES + 1, 'The log has reached'],
      ]);
    });

    it('truncated by bytes says so once and counts only the lines it has', async () => {
      const { id } = await ordered();
      const wide = line('w'.repeat(16_384));
      const logs = Array.from({ length: MAX_BYTES / 16_384 }, () => wide);
      await services.patch(daemon, id, { status: 'running', logs });
      const before = await services.row(id);
      expect(before).toMatchObject({ log_lines: logs.length, log_bytes: MAX_BYTES });
      for (let i = 0; i < 3; i++)
        await services.patch(daemon, id, { status: 'running', logs: [line('last'), line('late')] });
      const kept = (await read(id, logs.length)).logs.map(({ message }) => message);
      expect(kept).toEqual(['last', expect.stringContaining('limit of 8388608 bytes')]);
      expect(await services.row(id)).toMatchObject({
        log_lines: logs.length + 2,
        log_bytes: MAX_BYTES + Buffer.byteLength(kept.join('')),
      });
    });

    it('accepts times in both forms, and uses the current time if there is none', async () => {
      const { id } = await ordered();
      const logs = ['2026-01-02T03:04:05Z', 1_700_000_000_000, '2016-12-31T23:59:60Z', -1, 9e15].map((at) => ({
        ...line('tick'),
        at,
        step: 'pull',
      }));
      await services.patch(daemon, id, { status: 'running', logs });
      const now = new Date(services.now()).toISOString();
      const read = await services.deployments.read(owner, id, 0);
      expect(read.logs.map(({ at }) => at)).toEqual([
        '2026-01-02T03:04:05.000Z',
        '2023-11-14T22:13:20.000Z',
        now,
        now,
        now,
      ]);
      expect(read.logs[0]).toMatchObject({ step: 'pull', level: 'info' });
    });

    it('contains no secret, in whatever form a program prints it', async () => {
      const secret = 'p&ss w\\rd"42!';
      const { id, definition } = await ordered({ SMTP_PASSWORD: secret });
      const manifest = await services.manifests.resolve(services.storage.reader, owner.accountId, definition.id, 1);
      const dsn = manifest.manifest.components.find(({ name }) => name === 'app')?.env.DATABASE_URL ?? '';
      const generated = /inkwell:(.*)@/.exec(dsn)?.[1] ?? '';
      expect(generated.length).toBeGreaterThan(20);
      const forms = [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
        JSON.stringify(secret),
      ];
      const logs = [...forms, dsn].map((text) => line(`cannot connect: ${text}!`));
      await services.patch(daemon, id, { status: 'running', logs });
      const last_lines = ['starting', `refused: ${secret}`];
      const failed = { status: 'failed' as const, error: `no ${secret}`, reason: secret, last_lines };
      await services.report(daemon, { deployment_id: id, ...failed });
      const stored = JSON.stringify([
        await read(id),
        await services.storage.reader.db.selectFrom('events').selectAll().execute(),
      ]);
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), generated])
        expect(stored).not.toContain(JSON.stringify(form).slice(1, -1));
      expect(stored).toContain('cannot connect: ***');
      expect(await read(id)).toMatchObject({
        error: 'no ***',
        reason: '***',
        last_lines: ['starting', 'refused: ***'],
      });
    });
  });

  describe('cancelling a deployment', () => {
    it('ends a pending deployment immediately', async () => {
      const { id, definition } = await ordered();
      const { id: next } = await services.execute(owner, definition.id);
      const cancelled = await services.cancel(owner, id);
      expect(cancelled).toMatchObject({ status: 'failed', reason: 'cancelled', cancelling: false, started_at: null });
      expect(services.woken.at(-1)).toBe(daemon.serverId);
      expect(await services.cancel(owner, id)).toEqual(cancelled);
      expect(await types(id)).toEqual(['deployment.failed']);
      expect(await services.patch(daemon, next, { status: 'running' })).toMatchObject({ status: 'running' });
    });

    it('ends a running deployment when the daemon confirms', async () => {
      const { id } = await ordered();
      await services.patch(daemon, id, { status: 'running' });
      const before = services.woken.length;
      expect(await services.cancel(owner, id)).toMatchObject({ status: 'running', cancelling: true });
      expect(services.woken.length).toBe(before + 1);
      expect(await services.patch(daemon, id, { status: 'running' })).toMatchObject({ cancelling: true });
      const ended = await services.patch(daemon, id, { status: 'failed' });
      expect(ended).toMatchObject({ status: 'failed', reason: 'cancelled', cancelling: false });
      expect(await types(id)).toEqual(['deployment.started', 'deployment.failed']);
    });

    it('is too late for a deployment that succeeds meanwhile', async () => {
      const { id } = await ordered();
      await services.patch(daemon, id, { status: 'running' });
      await services.cancel(owner, id);
      expect(await services.patch(daemon, id, { status: 'success' })).toMatchObject({
        status: 'success',
        cancelling: false,
      });
    });
  });
});
